import { MultiSelect, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { putContact } from '../api/contacts'
import { keys } from '../api/keys'
import { useFields, useLabels, useMe } from '../api/queries'
import type { Contact, FieldValue } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { withTexts } from '../ui/i18n'
import { part } from '../ui/parts'
import { Section } from './Section'
import classes from './Details.module.css'

const FieldRows = part(() =>
  withTexts('cases', import('./FieldRows')).then((loaded) => loaded.FieldRows),
)
const Confirm = part(() =>
  import('../api/Confirm').then((loaded) => loaded.Confirm),
)

type Editable = Partial<
  Pick<
    Contact,
    | 'name'
    | 'company'
    | 'city'
    | 'label_ids'
    | 'blocked'
    | 'automation'
    | 'opted_out'
  >
>

/** ContactFields shows a contact's fields. Users who can edit contacts save a field by leaving it. */
export function ContactFields({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const fixed = !useMe().scopes.includes('contacts:write')
  const labels = useLabels().data ?? []
  const fields = useFields('contact')
  const [saved, setSaved] = useState(false)
  const [blocking, setBlocking] = useState(false)
  const patch = async (
    body: Editable & { fields?: Record<string, FieldValue | null> },
  ) => {
    putContact(
      client,
      await unwrap(
        api.PATCH('/contacts/{id}', {
          params: { path: { id: contact.id } },
          body,
        }),
      ),
    )
    setSaved(true)
  }
  const save = async (body: Editable) => {
    putContact(client, { ...contact, ...body }) // optimistic update
    const done = await attempt(async () => {
      await patch(body)
      void client.invalidateQueries({ queryKey: keys.lists })
      void client.invalidateQueries({ queryKey: ['conversation'] })
    })
    if (!done) putContact(client, contact)
    return done
  }
  useEffect(() => {
    if (!saved) return
    const timer = setTimeout(() => setSaved(false), 2500)
    return () => clearTimeout(timer)
  }, [saved])
  const look = {
    size: 'xs',
    disabled: fixed,
    classNames: { body: classes.switchBody, label: classes.switchLabel },
  }
  return (
    <Section title={t('details.contact')}>
      <Field
        label={t('details.name')}
        value={contact.name}
        required
        readOnly={fixed}
        onSave={(name) => save({ name })}
      />
      <Field
        label={t('details.company')}
        value={contact.company ?? ''}
        readOnly={fixed}
        onSave={(company) => save({ company: company || null })}
      />
      <Field
        label={t('details.city')}
        value={contact.city ?? ''}
        readOnly={fixed}
        onSave={(city) => save({ city: city || null })}
      />
      <MultiSelect
        size="xs"
        id="contact-labels"
        label={t('details.labels')}
        data={labels.map(({ id, name }) => ({ value: id, label: name }))}
        value={contact.label_ids}
        searchable
        readOnly={fixed}
        classNames={{
          root: classes.field,
          label: classes.label,
          input: classes.input,
          inputField: classes.typed,
        }}
        onChange={(label_ids) => void save({ label_ids })}
      />
      {fields.length > 0 && (
        <Suspense fallback={null}>
          <FieldRows
            fields={fields}
            values={contact.fields}
            fixed={fixed}
            onSave={(values) => patch({ fields: values })}
          />
        </Suspense>
      )}
      <Switch
        {...look}
        label={t('details.blocked')}
        checked={contact.blocked}
        onChange={(event) => {
          if (event.currentTarget.checked) setBlocking(true)
          else void save({ blocked: false })
        }}
      />
      {blocking && (
        <Suspense fallback={null}>
          <Confirm
            title={t('details.block')}
            text={t('details.blockText', { name: contact.name })}
            action={t('details.block')}
            onClose={() => setBlocking(false)}
            task={() => save({ blocked: true })}
          />
        </Suspense>
      )}
      <Switch
        {...look}
        label={t('details.automation')}
        checked={contact.automation}
        onChange={(event) =>
          void save({ automation: event.currentTarget.checked })
        }
      />
      <Switch
        {...look}
        label={t('details.optedOut')}
        aria-label={t('details.optedOut')}
        description={t('details.optedOutText')}
        checked={contact.opted_out}
        onChange={(event) =>
          void save({ opted_out: event.currentTarget.checked })
        }
      />
      <span role="status" className={classes.saved}>
        {saved ? t('details.saved') : ''}
      </span>
    </Section>
  )
}

type FieldProps = {
  label: string
  value: string
  required?: boolean
  readOnly: boolean
  onSave: (value: string) => Promise<boolean>
}

/** Field restores the stored value if its text was rejected. */
function Field({
  label,
  value,
  required = false,
  readOnly,
  onSave,
}: FieldProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const leave = async () => {
    const typed = text.trim()
    if (typed === value || (required && typed === '') || !(await onSave(typed)))
      setText(value)
  }
  return (
    <TextInput
      size="xs"
      label={label}
      value={text}
      readOnly={readOnly}
      maxLength={120}
      classNames={{
        root: classes.field,
        label: classes.label,
        input: classes.input,
      }}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={() => void leave()}
      onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  )
}
