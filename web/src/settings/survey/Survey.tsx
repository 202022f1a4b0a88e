import '@mantine/core/styles/NumberInput.layer.css'
import { MultiSelect, NumberInput, Stack, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { Loaded } from '../../api/Loaded'
import { useSectors } from '../../api/queries'
import type { SurveySettings } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { FormFooter } from '../../ui/FormFooter'
import { Page, Section } from '../../ui/Layout'
import { CountedField } from '../reception/CountedField'
import { LeaveDialog } from '../reception/LeaveDialog'
import { useFresh } from '../useFresh'
import { bodyOf, draftOf, most, same, type SurveyDraft } from './surveyForm'
import { SurveyPreview } from './SurveyPreview'
import classes from '../reception/Reception.module.css'

/** Survey is the page of the satisfaction survey. */
export default function Survey() {
  const { t } = useTranslation()
  useFresh(keys.sectors)
  const survey = useQuery({
    queryKey: keys.survey,
    gcTime: 0, // the form starts with what is stored now
    queryFn: () => unwrap(api.GET('/company/survey')),
  })
  return (
    <Page wide title={t('surveys.title')} text={t('surveys.text')}>
      <Loaded query={survey}>{(data) => <SurveyForm survey={data} />}</Loaded>
    </Page>
  )
}

const fields = [
  'question',
  'low_question',
  'thanks',
  'sector_ids',
  'delay_minutes',
  'min_days',
  'valid_hours',
] as const

/** SurveyForm edits the survey next to a preview of the WhatsApp message. */
function SurveyForm({ survey }: { survey: SurveySettings }) {
  const { t } = useTranslation()
  const sectors = useSectors().data ?? []
  const [draft, setDraft] = useState(() => draftOf(survey))
  const [saved, setSaved] = useState(draft)
  const { busy, done, problem, wrong, run, touch } = useSubmit({ fields })
  const changed = !same(draft, saved)
  const change = (part: Partial<SurveyDraft>) => {
    touch()
    setDraft({ ...draft, ...part })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await run(async () => {
      const stored = await unwrap(
        api.PUT('/company/survey', { body: bodyOf(draft) }),
      )
      setDraft(draftOf(stored))
      setSaved(draftOf(stored))
    })
  }
  const amount = (
    key: 'delay' | 'minDays' | 'validHours',
    field: (typeof fields)[number],
    min: number,
    max: number,
  ) => (
    <NumberInput
      label={t(`surveys.${key}`)}
      description={t(`surveys.${key}Text`)}
      min={min}
      max={max}
      allowDecimal={false}
      allowNegative={false}
      value={draft[key] ?? ''}
      error={wrong[field]}
      onChange={(value) =>
        change({ [key]: value === '' ? null : Number(value) })
      }
    />
  )
  return (
    <div className={classes.columns}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        <Section title={t('surveys.messages')}>
          <Stack gap="md">
            <Switch
              label={t('surveys.enabled')}
              checked={draft.enabled}
              onChange={(event) =>
                change({ enabled: event.currentTarget.checked })
              }
            />
            <CountedField
              long
              label={t('surveys.question')}
              most={most.question}
              value={draft.question}
              error={wrong.question}
              onChange={(question) => change({ question })}
            />
            <CountedField
              long
              label={t('surveys.lowQuestion')}
              description={t('surveys.lowQuestionText')}
              most={most.text}
              value={draft.lowQuestion}
              error={wrong.low_question}
              onChange={(lowQuestion) => change({ lowQuestion })}
            />
            <CountedField
              long
              label={t('surveys.thanks')}
              description={t('surveys.thanksText')}
              most={most.text}
              value={draft.thanks}
              error={wrong.thanks}
              onChange={(thanks) => change({ thanks })}
            />
          </Stack>
        </Section>
        <Section title={t('surveys.when')} text={t('surveys.whenText')}>
          <Stack gap="md">
            <MultiSelect
              label={t('surveys.sectors')}
              placeholder={
                draft.sectors.length === 0 ? t('surveys.all') : undefined
              }
              searchable
              clearable={false}
              hidePickedOptions
              value={draft.sectors}
              error={wrong.sector_ids}
              onChange={(next) => change({ sectors: next })}
              data={sectors.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <div className={classes.fields}>
              {amount('delay', 'delay_minutes', 0, 1440)}
              {amount('minDays', 'min_days', 0, 365)}
              {amount('validHours', 'valid_hours', 1, 168)}
            </div>
          </Stack>
        </Section>
        <div className={classes.footer} data-sticky={changed || undefined}>
          <FormFooter
            busy={busy}
            saved={done && !changed}
            problem={
              problem ??
              (Object.keys(wrong).length > 0 ? t('reception.look') : null)
            }
            submit={t('common.save')}
            disabled={!changed}
          >
            {changed && (
              <span className={classes.changed}>{t('reception.changed')}</span>
            )}
          </FormFooter>
        </div>
      </form>
      <SurveyPreview draft={draft} />
      <LeaveDialog active={changed} />
    </div>
  )
}
