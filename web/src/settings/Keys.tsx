import { Button, Switch } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { Key } from '../api/types'
import { Page, Section } from '../ui/Layout'
import { basePath } from '../ui/page'
import { Empty } from '../ui/states'
import { EditKeyDialog } from './EditKeyDialog'
import { KeyRow } from './KeyRow'
import { NewKeyDialog } from './NewKeyDialog'
import { RotateKeyDialog } from './RotateKeyDialog'
import { SecretDialog } from './SecretDialog'
import classes from '../ui/rows.module.css'

type Open =
  | { kind: 'new' }
  | { kind: 'edit' | 'rotate' | 'revoke'; key: Key }
  | { kind: 'secret'; secret: string }
  | null

/** Keys is the page that lists, creates, edits, rotates and revokes API keys. */
export default function Keys() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const all = useQuery({
    queryKey: keys.apiKeys,
    staleTime: 0,
    queryFn: async () => (await unwrap(api.GET('/keys'))).data,
  })
  const [open, setOpen] = useState<Open>(null)
  const [past, setPast] = useState(false)
  const close = () => setOpen(null)
  const issued = (secret: string) => {
    setOpen({ kind: 'secret', secret })
    void client.invalidateQueries({ queryKey: keys.apiKeys })
  }
  const revoke = async (id: string) => {
    await unwrap(api.DELETE('/keys/{id}', { params: { path: { id } } }))
    await client.invalidateQueries({ queryKey: keys.apiKeys })
  }
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setOpen({ kind: 'new' })}
    >
      {t('apiKeys.new')}
    </Button>
  )
  return (
    <Page
      title={t('apiKeys.title')}
      action={(all.data?.length ?? 0) > 0 && create}
      text={
        <>
          {t('apiKeys.text')}{' '}
          <a href={`${basePath}/docs/`} target="_blank" rel="noreferrer">
            {t('settings.reference')}
          </a>
        </>
      }
    >
      <Loaded query={all}>
        {(data) => {
          const shown = data.filter((key) => past || key.revoked_at === null)
          const revoked = data.some((key) => key.revoked_at)
          if (data.length === 0)
            return (
              <Empty
                icon={<IconKey size={28} />}
                title={t('apiKeys.none')}
                text={t('apiKeys.noneText')}
              >
                {create}
              </Empty>
            )
          return (
            <Section
              title={t('apiKeys.list')}
              action={
                revoked && (
                  <Switch
                    size="xs"
                    label={t('apiKeys.showRevoked')}
                    checked={past}
                    onChange={(event) => setPast(event.currentTarget.checked)}
                  />
                )
              }
            >
              {shown.length === 0 ? (
                <p className={classes.none}>{t('apiKeys.noneActive')}</p>
              ) : (
                <ul className={classes.rows} aria-label={t('apiKeys.title')}>
                  {shown.map((key) => (
                    <KeyRow
                      key={key.id}
                      apiKey={key}
                      onEdit={() => setOpen({ kind: 'edit', key })}
                      onRotate={() => setOpen({ kind: 'rotate', key })}
                      onRevoke={() => setOpen({ kind: 'revoke', key })}
                    />
                  ))}
                </ul>
              )}
            </Section>
          )
        }}
      </Loaded>
      {open?.kind === 'new' && (
        <NewKeyDialog onIssued={issued} onClose={close} />
      )}
      {open?.kind === 'edit' && (
        <EditKeyDialog apiKey={open.key} onClose={close} />
      )}
      {open?.kind === 'rotate' && (
        <RotateKeyDialog apiKey={open.key} onIssued={issued} onClose={close} />
      )}
      {open?.kind === 'revoke' && (
        <Confirm
          title={t('apiKeys.revokeTitle', { name: open.key.name })}
          text={t('apiKeys.revokeText')}
          action={t('apiKeys.revoke')}
          task={() => revoke(open.key.id)}
          onClose={close}
        />
      )}
      {open?.kind === 'secret' && (
        <SecretDialog
          title={t('apiKeys.copyNow')}
          text={t('apiKeys.copyText')}
          secret={open.secret}
          onClose={close}
        />
      )}
    </Page>
  )
}
