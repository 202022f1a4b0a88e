import '@mantine/core/styles/Radio.layer.css'
import { Radio, Select, Stack, TextInput } from '@mantine/core'
import type { TFunction } from 'i18next'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import type { Coded } from '../../api/codes'
import { keys } from '../../api/keys'
import { fieldText } from '../../api/refusal'
import type { Channel, Template } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { FormFooter } from '../../ui/FormFooter'
import { Page, Section } from '../../ui/Layout'
import { Loading } from '../../ui/states'
import { toast } from '../../ui/toast'
import { CountedField } from '../reception/CountedField'
import { LeaveDialog } from '../reception/LeaveDialog'
import { BodyField } from './BodyField'
import { ButtonsField } from './ButtonsField'
import { HeaderField } from './HeaderField'
import { languageChoices } from './languages'
import {
  categories,
  draftOf,
  emptyDraft,
  limits,
  missing,
  nameOf,
  renumbered,
  requestOf,
  shownDraft,
  variablesOf,
  type Category,
  type TemplateDraft,
} from './templateForm'
import { TemplatePreview } from './TemplatePreview'
import { useTemplates } from './useTemplates'
import reception from '../reception/Reception.module.css'
import settings from '../Settings.module.css'
import classes from './Templates.module.css'

type Props = { channel: Channel; from: string | undefined }

/** TemplateBuilder creates a template. It starts with a copy of the template with the id from, if there is one. */
export function TemplateBuilder({ channel, from }: Props) {
  const { t, i18n } = useTranslation()
  const [first] = useState(() => emptyDraft(i18n.language))
  return (
    <Page
      wide
      title={t('templates.new')}
      text={t('templates.newText')}
      action={
        <Link
          to="/settings/$"
          params={{ _splat: `channels/${channel.id}/templates` }}
          className={settings.link}
        >
          {t('common.cancel')}
        </Link>
      }
    >
      {from ? (
        <Copied channel={channel} from={from} />
      ) : (
        <Builder channel={channel} first={first} />
      )}
    </Page>
  )
}

/** Copied waits for the template to start from; one that no longer exists is left out. */
function Copied({ channel, from }: { channel: Channel; from: string }) {
  const { i18n } = useTranslation()
  const { data, isError, hasNextPage, isFetching, fetchNextPage } =
    useTemplates(channel.id)
  const source = data?.pages
    .flatMap((page) => page.data)
    .find((one: Template) => one.id === from)
  const wanted = !source && hasNextPage && !isFetching
  useEffect(() => {
    if (wanted) void fetchNextPage()
  }, [wanted, fetchNextPage])
  const first = useMemo(
    () =>
      source
        ? draftOf(source, () => crypto.randomUUID())
        : emptyDraft(i18n.language),
    // A list that is fetched again does not change what is being edited.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [source?.id],
  )
  if (!source && !isError && (hasNextPage || isFetching))
    return <Loading rows={4} />
  return <Builder key={source?.id} channel={channel} first={first} />
}

function Builder({
  channel,
  first,
}: {
  channel: Channel
  first: TemplateDraft
}) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(first)
  const [attempts, setAttempts] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const tried = attempts > 0
  const [sent, setSent] = useState(false)
  const [image, setImage] = useState<string | null>(null)
  const lacks = missing(draft)
  const { busy, problem, wrong, run, touch } = useSubmit({
    fields: fieldsOf(draft),
    words: refusedText,
  })
  const problems: Record<string, string> = { ...wrong }
  if (tried)
    for (const [field, why] of Object.entries(lacks))
      problems[field] = t(`templates.missing.${why}`)
  const change = (part: Partial<TemplateDraft>) => {
    touch()
    setDraft((now) => ({ ...now, ...part }))
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setAttempts(attempts + 1)
    if (Object.keys(lacks).length > 0) return
    setDraft(renumbered(draft))
    const made = await run(() =>
      unwrap(
        api.POST('/channels/{id}/templates', {
          params: { path: { id: channel.id } },
          body: requestOf(draft),
        }),
      ),
    )
    if (!made) return
    setSent(true)
    void client.invalidateQueries({ queryKey: keys.templates(channel.id) })
    toast(t('templates.sent', { name: nameOf(draft.title) }))
  }
  useEffect(() => {
    if (sent)
      void navigate({
        to: '/settings/$',
        params: { _splat: `channels/${channel.id}/templates` },
      })
  }, [sent, navigate, channel.id])
  // The form is long, so the first error gets the focus.
  const wrongCount = tried && !busy ? Object.keys(problems).length : 0
  useEffect(() => {
    if (wrongCount > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
    // Only an attempt moves the focus, not a correction.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [attempts, busy])
  const name = nameOf(draft.title)
  const variables = variablesOf(draft.body)
  return (
    <div className={classes.columns}>
      <form
        ref={form}
        noValidate
        aria-label={t('templates.new')}
        onSubmit={(event) => void submit(event)}
      >
        <Section title={t('templates.about')}>
          <Stack gap="md">
            <TextInput
              label={t('templates.name')}
              description={
                name && name !== draft.title
                  ? t('templates.nameAtMeta', { name })
                  : t('templates.nameText')
              }
              placeholder={t('templates.namePlaceholder')}
              maxLength={limits.name}
              value={draft.title}
              error={problems.name}
              onChange={(event) => change({ title: event.currentTarget.value })}
            />
            <Select
              label={t('templates.language')}
              searchable
              allowDeselect={false}
              value={draft.language}
              error={problems.language}
              onChange={(language) => language && change({ language })}
              data={languageChoices(i18n.language, first.language)}
            />
            <Radio.Group
              label={t('templates.categoryLabel')}
              value={draft.category}
              error={problems.category}
              onChange={(category) =>
                change({ category: category as Category })
              }
            >
              <Stack gap="sm" mt={6}>
                {categories.map((one) => (
                  <Radio
                    key={one}
                    value={one}
                    label={t(`templates.category.${one}`)}
                    description={t(`templates.categoryText.${one}`)}
                  />
                ))}
              </Stack>
            </Radio.Group>
            <p className={classes.hint}>{t('templates.authentication')}</p>
          </Stack>
        </Section>
        <Section title={t('templates.message')}>
          <Stack gap="md">
            <HeaderField
              draft={draft}
              wrong={problems}
              onChange={change}
              onImage={setImage}
            />
            <BodyField
              value={draft.body}
              error={problems.body}
              onChange={(body) => change({ body })}
              onBlur={() => setDraft(renumbered)}
            />
            {variables.length > 0 && (
              <fieldset className={classes.part}>
                <legend>{t('templates.samples')}</legend>
                <p className={classes.hint}>{t('templates.samplesText')}</p>
                <Stack gap="sm">
                  {variables.map((n, at) => (
                    <TextInput
                      key={n}
                      label={t('templates.sample', { gap: `{{${n}}}` })}
                      maxLength={limits.sample}
                      value={draft.samples[n] ?? ''}
                      error={
                        problems[`examples.body[${at}]`] ??
                        (at === 0 ? problems['examples.body'] : undefined)
                      }
                      onChange={(event) =>
                        change({
                          samples: {
                            ...draft.samples,
                            [n]: event.currentTarget.value,
                          },
                        })
                      }
                    />
                  ))}
                </Stack>
              </fieldset>
            )}
            <CountedField
              label={t('templates.footer')}
              description={t('templates.footerText')}
              most={limits.footer}
              value={draft.footer}
              error={problems.footer}
              onChange={(footer) => change({ footer })}
            />
          </Stack>
        </Section>
        <Section
          title={t('templates.buttons')}
          text={t('templates.buttonsText')}
        >
          <ButtonsField
            buttons={draft.buttons}
            wrong={problems}
            onChange={(buttons) => change({ buttons })}
          />
        </Section>
        <div className={reception.footer}>
          <FormFooter
            busy={busy}
            problem={
              problem ??
              problems.buttons ??
              (Object.keys(problems).length > 0 ? t('reception.look') : null)
            }
            submit={t('templates.submit')}
          />
        </div>
      </form>
      <section className={classes.aside} aria-label={t('templates.preview')}>
        <h2>{t('templates.preview')}</h2>
        <TemplatePreview
          shown={shownDraft(draft)}
          image={draft.headerKind === 'image' ? image : null}
        />
      </section>
      <LeaveDialog active={!sent && !busy && draft !== first} />
    </div>
  )
}

/** refusedText adds Meta's own words to the reason for which it refused a template. */
function refusedText(detail: Coded, t: TFunction): string | undefined {
  const said = detail.params.provider_message
  return detail.code === 'template_refused' && typeof said === 'string'
    ? t('channelText.says', { text: fieldText(detail, t), words: said })
    : undefined
}

/** fieldsOf returns the fields of the request that the form shows errors at. */
const fieldsOf = (draft: TemplateDraft) => [
  'name',
  'language',
  'category',
  'header',
  'header.type',
  'body',
  'footer',
  'buttons',
  'examples.header',
  'examples.header[0]',
  'examples.body',
  ...variablesOf(draft.body).map((_, at) => `examples.body[${at}]`),
  ...draft.buttons.flatMap((_, at) =>
    ['', '.text', '.url', '.phone_number', '.example', '.type'].map(
      (part) => `buttons[${at}]${part}`,
    ),
  ),
]
