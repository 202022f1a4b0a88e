import { IconChevronRight, IconExternalLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { Page, Section } from '../../ui/Layout'
import { basePath } from '../../ui/page'
import rows from '../../ui/rows.module.css'
import { useFresh } from '../useFresh'
import { Jobs } from './Jobs'
import { RetentionForm } from './RetentionForm'

const guides = `${basePath}/docs/guides`

/** Data is the page about the company's data: how long it is kept, imports, and long work. */
export default function Data() {
  const { t } = useTranslation()
  const retention = useQuery({
    queryKey: keys.retention,
    queryFn: () => unwrap(api.GET('/company/retention')),
  })
  useFresh(keys.retention)
  return (
    <Page
      title={t('data.title')}
      text={
        <>
          {t('data.text')}{' '}
          <a href={`${guides}/data-protection`} target="_blank" rel="noopener">
            {t('data.protection')}
          </a>
        </>
      }
    >
      <Loaded query={retention}>
        {(data) => (
          <RetentionForm key={JSON.stringify(data)} retention={data} />
        )}
      </Loaded>
      <Section title={t('data.moving')} text={t('data.movingText')}>
        <ul className={rows.rows}>
          <li>
            <Link className={rows.row} to="/contacts/import">
              <span className={rows.main}>
                <strong>{t('data.import')}</strong>
                <span>{t('data.importText')}</span>
              </span>
              <IconChevronRight size={18} aria-hidden />
            </Link>
          </li>
          <li>
            <Link className={rows.row} to="/contacts/import-chat">
              <span className={rows.main}>
                <strong>{t('conversation.importChat')}</strong>
                <span>{t('data.importChatText')}</span>
              </span>
              <IconChevronRight size={18} aria-hidden />
            </Link>
          </li>
          <li>
            <a
              className={rows.row}
              href={`${guides}/chatwoot`}
              target="_blank"
              rel="noopener"
            >
              <span className={rows.main}>
                <strong>{t('data.chatwoot')}</strong>
                <span>{t('data.chatwootText')}</span>
              </span>
              <IconExternalLink size={18} aria-hidden />
            </a>
          </li>
        </ul>
      </Section>
      <Jobs />
    </Page>
  )
}
