import { Alert, Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  IconChevronLeft,
  IconChevronRight,
  IconPlus,
  IconSearch,
  IconTemplate,
} from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../api/Loaded'
import type { Channel, Template } from '../../api/types'
import { Page } from '../../ui/Layout'
import { plainText } from '../../ui/RichText'
import { Saved } from '../../ui/Saved'
import { Empty } from '../../ui/states'
import { languageName } from './languages'
import { TemplateBadges } from './TemplateBadges'
import { TemplateDetails } from './TemplateDetails'
import { categoryText, reasonOf, statusText } from './templateText'
import { useSync } from './useSync'
import { useTemplates } from './useTemplates'
import rows from '../../ui/rows.module.css'
import settings from '../Settings.module.css'
import classes from './Templates.module.css'

/** The statuses that can be filtered by. */
const statuses = ['approved', 'pending', 'rejected', 'paused', 'disabled']

type Props = { channel: Channel; open: string | undefined }

/** TemplateList lists a number's templates; open is the id of the one whose details are shown. */
export function TemplateList({ channel, open }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), 200)
  const [status, setStatus] = useState<string | null>(null)
  const { synced, problem, sync } = useSync(channel.id)
  const list = useTemplates(channel.id, { q, status: status ?? '', synced })
  const { hasNextPage, isFetching, fetchNextPage } = list
  const all = list.data?.pages.flatMap((page) => page.data)
  const chosen = open ? all?.find((one) => one.id === open) : undefined
  // A template that was opened by its address may be on a later page.
  useEffect(() => {
    if (open && !chosen && hasNextPage && !isFetching) void fetchNextPage()
  }, [open, chosen, hasNextPage, isFetching, fetchNextPage])
  const to = `channels/${channel.id}/templates`
  return (
    <Page
      title={t('templates.title')}
      text={`${channel.name} · ${t('templates.pageText')}`}
      action={
        <Group gap="xs">
          <Button variant="default" onClick={() => void sync()}>
            {t('templates.sync')}
          </Button>
          <Button
            component={Link}
            to={`/settings/${to}/new`}
            leftSection={<IconPlus size={16} />}
          >
            {t('templates.new')}
          </Button>
        </Group>
      }
    >
      <Group justify="space-between" mb="sm">
        <Link
          to="/settings/$"
          params={{ _splat: `channels/${channel.id}` }}
          className={settings.link}
        >
          <IconChevronLeft size={16} aria-hidden />
          {channel.name}
        </Link>
        <Saved shown={synced} text={t('templates.asked')} />
      </Group>
      {problem && (
        <Alert color="red" variant="light" mb="md">
          {problem}
        </Alert>
      )}
      <div className={classes.tools}>
        <TextInput
          type="search"
          aria-label={t('templates.search')}
          placeholder={t('templates.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Select
          aria-label={t('templates.filter')}
          placeholder={t('templates.allStatuses')}
          clearable
          clearButtonProps={{ 'aria-label': t('templates.allStatuses') }}
          value={status}
          onChange={setStatus}
          data={statuses.map((one) => ({
            value: one,
            label: statusText(one, t),
          }))}
        />
      </div>
      <Loaded query={list}>
        {() =>
          all && all.length > 0 ? (
            <ul className={rows.rows} aria-label={t('templates.title')}>
              {all.map((one) => (
                <TemplateRow key={one.id} template={one} to={to} />
              ))}
            </ul>
          ) : q || status ? (
            <Empty title={t('templates.nothing')} />
          ) : (
            <Empty
              icon={<IconTemplate size={28} />}
              title={t('templates.none')}
              text={t('templates.noneText')}
            >
              <Button component={Link} to={`/settings/${to}/new`}>
                {t('templates.new')}
              </Button>
            </Empty>
          )
        }
      </Loaded>
      {hasNextPage && (
        <Button
          fullWidth
          mt="sm"
          variant="subtle"
          loading={list.isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
      <p className={classes.foot}>{t('templates.checked')}</p>
      {chosen && (
        <TemplateDetails
          channel={channel.id}
          template={chosen}
          onClose={() =>
            void navigate({ to: '/settings/$', params: { _splat: to } })
          }
        />
      )}
    </Page>
  )
}

function TemplateRow({ template, to }: { template: Template; to: string }) {
  const { t, i18n } = useTranslation()
  const reason = reasonOf(template, t)
  return (
    <li>
      <Link
        to="/settings/$"
        params={{ _splat: `${to}/${template.id}` }}
        className={rows.row}
        data-wrap
      >
        <span className={rows.main}>
          <strong>{template.name}</strong>
          <span>
            {languageName(template.language, i18n.language)} ·{' '}
            {categoryText(template.category, t)}
          </span>
          {reason ? (
            <span data-tone="red">{reason}</span>
          ) : (
            <span className={classes.text}>{plainText(template.body)}</span>
          )}
        </span>
        <TemplateBadges template={template} />
        <IconChevronRight size={18} aria-hidden className={classes.next} />
      </Link>
    </li>
  )
}
