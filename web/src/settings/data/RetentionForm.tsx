import { Stack } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import {
  keepPreviousData,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { Confirm } from '../../api/Confirm'
import { keys } from '../../api/keys'
import type { Retention } from '../../api/types'
import { useSubmit } from '../../api/useSubmit'
import { FormFooter } from '../../ui/FormFooter'
import { SectionForm } from '../../ui/Layout'
import { deletedTexts, isSame, isValid, parts } from './retention'
import { RetentionField } from './RetentionField'
import classes from './Data.module.css'

const preview = (body: Retention) =>
  unwrap(api.POST('/company/retention/preview', { body }))

/** RetentionForm sets how long data is kept. It shows what would be deleted, and asks before something is. */
export function RetentionForm({ retention }: { retention: Retention }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [draft, setDraft] = useState(retention)
  const [goes, setGoes] = useState<string[] | null>(null)
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: parts,
  })
  const valid = parts.every((part) => isValid(part, draft[part]))
  const save = async () => {
    const changed = await unwrap(
      api.PATCH('/company/retention', { body: draft }),
    )
    client.setQueryData(keys.retention, changed)
  }
  const submit = () =>
    void run(async () => {
      const texts = deletedTexts(await preview(draft), t)
      if (texts.length > 0) setGoes(texts)
      else await save()
    })
  return (
    <SectionForm
      title={t('data.retention')}
      text={t('data.retentionText')}
      onSubmit={submit}
    >
      <Stack gap="md">
        {parts.map((part) => (
          <RetentionField
            key={part}
            part={part}
            value={draft[part]}
            error={wrong[part]}
            onChange={(days) => {
              touch()
              setDraft({ ...draft, [part]: days })
            }}
          />
        ))}
        <Preview draft={draft} enabled={valid && !isSame(draft, retention)} />
        <FormFooter
          busy={busy}
          saved={done && goes === null && isSame(draft, retention)}
          problem={problem}
          disabled={!valid}
          submit={t('common.save')}
        />
      </Stack>
      {goes && (
        <Confirm
          title={t('data.confirmTitle')}
          text={t('data.confirmText', { list: goes.join(', ') })}
          action={t('data.confirm')}
          onClose={() => setGoes(null)}
          task={save}
        />
      )}
    </SectionForm>
  )
}

/** Preview says what the settings would delete. */
function Preview({ draft, enabled }: { draft: Retention; enabled: boolean }) {
  const { t } = useTranslation()
  const [settled] = useDebouncedValue(draft, 300)
  const { data } = useQuery({
    queryKey: keys.retentionPreview(settled),
    enabled: enabled && isSame(draft, settled),
    staleTime: 0,
    placeholderData: keepPreviousData,
    queryFn: () => preview(settled),
  })
  const texts = enabled && data ? deletedTexts(data, t) : []
  return (
    <p
      role="status"
      className={classes.preview}
      data-goes={texts.length > 0 || undefined}
    >
      {enabled &&
        data &&
        (texts.length > 0
          ? t('data.wouldGo', { list: texts.join(', ') })
          : t('data.nothingGoes'))}
    </p>
  )
}
