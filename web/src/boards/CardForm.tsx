import {
  MultiSelect,
  NativeSelect,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useLabels, useTeam } from '../api/queries'
import type { InputsProps } from '../fields/FieldInputList'
import { FieldInputs } from '../fields/FieldInputs'
import { ContactField, ConversationField } from './CardLinks'
import { fromInput, toInput } from './due'
import type { Fields } from './fields'
import { priorities } from './search'
import classes from './CardDialog.module.css'

type Props = {
  fields: Fields
  custom: InputsProps
  disabled?: boolean
  ofAttendance?: boolean
  onChange: (change: Partial<Fields>) => void
}

/** CardForm has the fields of a card. A case's card keeps its conversation. */
export function CardForm({
  fields,
  custom,
  disabled = false,
  ofAttendance = false,
  onChange,
}: Props) {
  const { t } = useTranslation()
  const team = useTeam().data ?? []
  const labels = useLabels().data ?? []
  return (
    <div className={classes.form}>
      <TextInput
        className={classes.wide}
        label={t('card.title')}
        required
        withAsterisk={false}
        data-autofocus
        maxLength={120}
        disabled={disabled}
        value={fields.title}
        onChange={(event) => onChange({ title: event.currentTarget.value })}
      />
      <Textarea
        className={classes.wide}
        label={t('card.description')}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={10_000}
        disabled={disabled}
        value={fields.description ?? ''}
        onChange={(event) =>
          onChange({ description: event.currentTarget.value })
        }
      />
      <NativeSelect
        label={t('boards.field.priority')}
        disabled={disabled}
        value={fields.priority}
        data={priorities.map((one) => ({
          value: one,
          label: t(`boards.priority.${one}`),
        }))}
        onChange={(event) =>
          onChange({
            priority: event.currentTarget.value as Fields['priority'],
          })
        }
      />
      <TextInput
        type="datetime-local"
        label={t('boards.field.due_at')}
        disabled={disabled}
        value={toInput(fields.due_at)}
        onChange={(event) =>
          onChange({ due_at: fromInput(event.currentTarget.value) })
        }
      />
      <NativeSelect
        label={t('filters.person')}
        disabled={disabled}
        value={fields.assignee ?? ''}
        data={[
          { value: '', label: t('filters.nobody') },
          ...team.map((one) => ({ value: one.id, label: one.name })),
        ]}
        onChange={(event) =>
          onChange({ assignee: event.currentTarget.value || null })
        }
      />
      <ContactField
        value={fields.contact}
        disabled={disabled}
        onChange={(contact) => onChange({ contact })}
      />
      <ConversationField
        value={fields.conversation}
        contact={fields.contact}
        disabled={disabled || ofAttendance}
        onChange={(conversation) => onChange({ conversation })}
      />
      <MultiSelect
        className={classes.wide}
        label={t('details.labels')}
        searchable
        disabled={disabled}
        data={labels.map(({ id, name }) => ({ value: id, label: name }))}
        value={fields.label_ids.filter((id) =>
          labels.some((one) => one.id === id),
        )}
        onChange={(label_ids) => onChange({ label_ids })}
      />
      <FieldInputs {...custom} disabled={disabled} />
      <Switch
        className={classes.wide}
        label={t('boards.field.private')}
        description={t('boards.privateText')}
        disabled={disabled}
        checked={fields.private}
        onChange={(event) => onChange({ private: event.currentTarget.checked })}
      />
    </div>
  )
}
