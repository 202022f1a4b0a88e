import { Alert, NativeSelect } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { Channel, Template } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Section } from '../ui/Layout'
import { Offer } from '../ui/Offer'
import rows from '../ui/rows.module.css'
import { Saved } from '../ui/Saved'
import { canReopen, declineOf, templateKey } from './reopen'
import { useFresh } from './useFresh'
import classes from './Settings.module.css'

/** approved returns the number's templates that can reopen a conversation. */
async function approved(channel: string): Promise<Template[]> {
  const found: Template[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: { data: Template[]; next_cursor: string | null } = await unwrap(
      api.GET('/channels/{id}/templates', {
        params: {
          path: { id: channel },
          query: {
            limit: 100,
            status: 'approved',
            ...(cursor ? { cursor } : {}),
          },
        },
      }),
    )
    found.push(...page.data.filter(canReopen))
    cursor = page.next_cursor
  }
  return found
}

/** ReopenTemplate selects the template that asks customers to write back, so that messages can wait for their answer. */
export function ReopenTemplate({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { busy, done, problem, run } = useSubmit()
  const key = [...keys.templates(channel.id), 'reopen']
  useFresh(key)
  const list = useQuery({ queryKey: key, queryFn: () => approved(channel.id) })
  const current = channel.reopen_template
  const change = (template: Template | undefined) =>
    run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: {
            reopen_template: template
              ? { name: template.name, language: template.language }
              : null,
          },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  return (
    <Section title={t('reopen.title')} text={t('reopen.text')}>
      <Loaded query={list}>
        {(templates) => {
          const chosen = templates.find(
            (one) => current && templateKey(one) === templateKey(current),
          )
          return (
            <>
              <NativeSelect
                aria-label={t('reopen.title')}
                value={current ? templateKey(current) : ''}
                disabled={busy}
                onChange={({ currentTarget: { value } }) =>
                  void change(
                    templates.find((one) => templateKey(one) === value),
                  )
                }
                data={[
                  { value: '', label: t('reopen.none') },
                  ...(current && !chosen ? [current] : []).map((one) => ({
                    value: templateKey(one),
                    label: t('reopen.unavailable', { name: one.name }),
                  })),
                  ...templates.map((one) => ({
                    value: templateKey(one),
                    label: `${one.name} (${one.language})`,
                  })),
                ]}
              />
              <Saved shown={done} />
              {problem && (
                <Alert color="red" variant="light" mt="md">
                  {problem}
                </Alert>
              )}
              {templates.length === 0 && (
                <p className={rows.none}>{t('reopen.empty')}</p>
              )}
              {current && !chosen && (
                <Alert color="yellow" variant="light" mt="md">
                  {t('reopen.gone')}
                </Alert>
              )}
              {chosen && <Preview template={chosen} />}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** Preview shows what the customer gets, and which button cancels. */
function Preview({ template }: { template: Template }) {
  const { t } = useTranslation()
  const decline = declineOf(template)
  return (
    <div role="group" aria-label={t('reopen.preview')}>
      <div className={classes.reopening}>
        <Offer
          offer={{
            ...template,
            body: template.body.replace(/\{\{\s*\w+\s*\}\}/, 'ATD-000123'),
            buttons: template.buttons.map(({ text }, at) => ({
              id: String(at),
              title: text,
            })),
          }}
        />
      </div>
      <p className={classes.hint}>
        {decline
          ? t('reopen.decline', { button: decline })
          : t('reopen.noDecline')}
      </p>
    </div>
  )
}
