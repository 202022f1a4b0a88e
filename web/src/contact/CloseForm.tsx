import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { putAttendance } from '../api/attendances'
import { api, Failure, unwrap } from '../api/client'
import { putContact } from '../api/contacts'
import { keys } from '../api/keys'
import { fieldsOptions, reasonsOptions, rulesOptions } from '../api/queries'
import { problemsOf } from '../api/refusal'
import type { ClosingReason, CustomField } from '../api/types'
import { FieldInput } from '../fields/FieldInput'
import { useFieldTexts } from '../fields/useFieldTexts'
import { missing, readDrafts, type Drafts } from '../fields/values'
import { Dialog } from '../ui/Dialog'
import { fitting, named, needsAnswers, type Closing } from './closing'
import { ReasonChoice } from './ReasonChoice'

/** Closed is the one case that is closed, whose fields may be required. */
export type ClosedCase = { attendance: string; contact: string | null }

export type CloseProps = {
  text?: string
  /** The departments of the cases; undefined if one is not known. */
  sectors: (string | null | undefined)[]
  only?: ClosedCase
  onClose: () => void
  /** onSubmit closes the cases. It throws what the server refuses. */
  onSubmit: (closing: Closing) => Promise<unknown>
  onNext?: () => void
}

/** Definitions that a colleague may have changed are fetched again when the dialog opens. */
const fresh = { staleTime: 30_000 }

/** CloseForm asks for a reason and a note, and for missing values of required fields. Without reasons and required fields it asks for a text only. */
export function CloseForm(props: CloseProps) {
  const reasons = useQuery({ ...reasonsOptions, ...fresh })
  const fields = useQuery({ ...fieldsOptions, ...fresh })
  const rules = useQuery({ ...rulesOptions, ...fresh })
  const required = fields.data?.filter((one) => one.required_on_close) ?? []
  const { attendance, contact } = props.only ?? {}
  const of = (entity: CustomField['entity']) =>
    required.filter((one) => one.entity === entity)
  const person = useQuery({
    queryKey: keys.contact(contact ?? ''),
    enabled: !!contact && of('contact').length > 0,
    queryFn: () =>
      unwrap(
        api.GET('/contacts/{id}', { params: { path: { id: contact ?? '' } } }),
      ),
  })
  const found = useQuery({
    queryKey: keys.attendance(attendance ?? ''),
    enabled: !!attendance && of('attendance').length > 0,
    queryFn: () =>
      unwrap(
        api.GET('/attendances/{id}', {
          params: { path: { id: attendance ?? '' } },
        }),
      ),
  })
  // Nothing is asked that is not known; the server says what is missing.
  if ([reasons, fields, rules, person, found].some((one) => one.isLoading))
    return null
  return (
    <Form
      {...props}
      reasons={fitting(reasons.data ?? [], props.sectors)}
      reasonRequired={rules.data?.require_reason ?? false}
      contactFields={
        person.data ? missing(of('contact'), person.data.fields) : []
      }
      caseFields={
        found.data ? missing(of('attendance'), found.data.fields) : []
      }
    />
  )
}

type FormProps = CloseProps & {
  reasons: ClosingReason[]
  reasonRequired: boolean
  contactFields: CustomField[]
  caseFields: CustomField[]
}

function Form({
  text: intro,
  only,
  reasons,
  reasonRequired,
  contactFields,
  caseFields,
  onClose,
  onSubmit,
  onNext,
}: FormProps) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const texts = useFieldTexts()
  const [reason, setReason] = useState<ClosingReason | null>(null)
  const [text, setText] = useState('') // what is typed as the reason
  const [note, setNote] = useState('')
  const [drafts, setDrafts] = useState<Drafts>({})
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const form = useRef<HTMLFormElement>(null)
  const [noting, setNoting] = useState(0)
  useEffect(() => {
    if (noting > 0) noteField.current?.focus()
  }, [noting])
  const [failed, setFailed] = useState(0)
  useEffect(() => {
    if (failed > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [failed])
  /** point shows what is wrong and goes to the first input that has to change. */
  const point = (found: Record<string, string>) => {
    setWrong(found)
    setFailed((n) => n + 1)
  }
  // The fields that were missing when the dialog opened stay while it is open, though saving them makes them complete.
  const [asked] = useState({ contactFields, caseFields })
  const keep = (before: CustomField[], now: CustomField[]) => [
    ...before,
    ...now.filter((one) => !before.some((other) => other.id === one.id)),
  ]
  const shown = {
    contact: keep(asked.contactFields, contactFields),
    attendance: keep(asked.caseFields, caseFields),
  }
  const choosing = reasons.length > 0
  const at = (field: CustomField) => `${field.entity}.${field.key}`

  /** check returns what is wrong with the answers, by input. */
  const check = () => {
    const found: Record<string, string> = {}
    if (reasonRequired && !reason)
      found.reason = choosing ? t('closing.choose') : t('closing.noReasons')
    if (reason?.require_note && note.trim() === '')
      found.note = t('closing.noteRequired')
    for (const field of [...shown.contact, ...shown.attendance]) {
      const draft = drafts[at(field)] ?? ''
      const read = readDrafts([field], { [field.key]: draft })
      const why = texts.wrong(read.wrong[field.key])
      if (why) found[at(field)] = why
      else if (draft.trim() === '') found[at(field)] = t('wrong.required')
    }
    return found
  }
  const valuesOf = (fields: CustomField[]) =>
    readDrafts(
      fields,
      Object.fromEntries(
        fields.map((field) => [field.key, drafts[at(field)] ?? '']),
      ),
    ).values
  /** save stores the values of the fields; what the server refuses is shown at the field. */
  const save = async (fields: CustomField[], task: () => Promise<unknown>) => {
    if (fields.length === 0) return true
    try {
      await task()
      return true
    } catch (error) {
      const refused = texts.refused(error, fields)
      point(
        Object.fromEntries(
          fields
            .filter((one) => refused[one.key])
            .map((one) => [at(one), refused[one.key] ?? '']),
        ),
      )
      if (Object.keys(refused).length === 0)
        setProblem(problemsOf(error, t).other)
      return false
    }
  }
  const saveFields = async () =>
    (await save(shown.contact, async () => {
      const saved = await unwrap(
        api.PATCH('/contacts/{id}', {
          params: { path: { id: only?.contact ?? '' } },
          body: { fields: valuesOf(shown.contact) },
        }),
      )
      putContact(client, saved)
    })) &&
    (await save(shown.attendance, async () => {
      const saved = await unwrap(
        api.PATCH('/attendances/{id}', {
          params: { path: { id: only?.attendance ?? '' } },
          body: { fields: valuesOf(shown.attendance) },
        }),
      )
      putAttendance(client, saved)
    }))

  const refused = (error: unknown) => {
    const { fields, other } = problemsOf(error, t, {
      fields: ['reason_id', 'note', 'reason'],
    })
    const found: Record<string, string> = {}
    if (error instanceof Failure && error.code === 'reason_required')
      found.reason = t('closing.choose')
    else if (fields.reason_id) found.reason = fields.reason_id
    else if (fields.reason) found.reason = fields.reason
    if (fields.note) found.note = fields.note
    point(found)
    if (!found.reason && !found.note) setProblem(other)
    if (!needsAnswers(error) && !fields.reason_id) return
    // A colleague changed what closing needs; the missing inputs appear.
    for (const queryKey of [
      keys.reasons,
      keys.rules,
      keys.fields,
      keys.contact(only?.contact ?? ''),
      keys.attendance(only?.attendance ?? ''),
    ])
      void client.invalidateQueries({ queryKey })
  }
  const go = async (next: boolean) => {
    if (busy) return
    const found = check()
    setProblem(null)
    point(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    try {
      if (!(await saveFields())) return
      const said = note.trim()
      const own = text.trim()
      await onSubmit(
        reason
          ? { reason_id: reason.id, ...(said ? { note: said } : {}) }
          : own
            ? { reason: own }
            : {},
      )
      onClose()
      if (next) onNext?.()
    } catch (error) {
      refused(error)
    } finally {
      setBusy(false)
    }
  }
  const submitOnEnter = (event: KeyboardEvent) => {
    if (
      event.key !== 'Enter' ||
      event.shiftKey ||
      event.nativeEvent.isComposing
    )
      return
    event.preventDefault()
    void go(false)
  }
  const lines = {
    autosize: true,
    minRows: 2,
    maxRows: 5,
    onKeyDown: submitOnEnter,
  }
  const [first] = [...shown.contact, ...shown.attendance]
  const inputs = (fields: CustomField[]) =>
    fields.map((field) => (
      <FieldInput
        key={field.id}
        field={field}
        required
        autoFocus={!choosing && field === first}
        value={drafts[at(field)] ?? ''}
        error={wrong[at(field)]}
        onChange={(draft) =>
          setDrafts((before) => ({ ...before, [at(field)]: draft }))
        }
      />
    ))
  return (
    <Dialog title={t('conversation.close')} onClose={onClose}>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void go(false)
        }}
      >
        <Stack gap="md">
          {intro && <Text size="sm">{intro}</Text>}
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          {choosing && (
            <ReasonChoice
              reasons={reasons}
              text={text}
              chosen={reason}
              required={reasonRequired}
              error={wrong.reason}
              onText={(typed) => {
                setText(typed)
                setReason(named(reasons, typed))
                setWrong({ ...wrong, reason: '', note: '' })
              }}
              onChoose={(chosen) => {
                setText(chosen.name)
                setReason(chosen)
                setWrong({ ...wrong, reason: '', note: '' })
                setNoting((n) => n + 1)
              }}
            />
          )}
          {!choosing && (
            <Textarea
              {...lines}
              label={t('common.reason')}
              data-autofocus={!first || undefined}
              maxLength={500}
              error={wrong.reason}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {inputs(shown.contact)}
          {inputs(shown.attendance)}
          {reason && (
            <Textarea
              {...lines}
              ref={noteField}
              label={t('closing.note')}
              maxLength={1000}
              required={reason.require_note}
              error={wrong.note}
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" disabled={busy} onClick={onClose}>
              {t('common.cancel')}
            </Button>
            {onNext && (
              <Button
                variant="default"
                disabled={busy}
                onClick={() => void go(true)}
              >
                {t('close.next')}
              </Button>
            )}
            <Button type="submit" loading={busy}>
              {t('conversation.close')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
