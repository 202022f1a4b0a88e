import '@mantine/core/styles/Radio.layer.css'
import {
  ActionIcon,
  Group,
  NativeSelect,
  Radio,
  Switch,
  TextInput,
  type InputWrapperProps,
  type MantineSize,
} from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { CustomField } from '../api/types'
import { linkOf, typed } from './values'
import classes from './Fields.module.css'

type Props = {
  field: CustomField
  value: string
  error?: string
  disabled?: boolean
  /** A required yes/no field has no answer until one is chosen. */
  required?: boolean
  autoFocus?: boolean
  size?: MantineSize
  /** In a panel the label is beside the input. */
  panel?: Partial<Record<'root' | 'label' | 'input' | 'error', string>>
  onChange: (draft: string) => void
  /** onCommit is called with the draft when the user leaves the input, presses Enter or chooses. */
  onCommit?: (draft: string) => void
  /** onCancel is called on Escape while a text is edited. */
  onCancel?: () => void
}

/** FieldInput is the input of a custom field that fits its type. */
export function FieldInput({
  field,
  value,
  error,
  disabled,
  required,
  autoFocus,
  size,
  panel,
  onChange,
  onCommit,
  onCancel,
}: Props) {
  const { t } = useTranslation()
  const { name, type } = field
  const shared = {
    label: name,
    error,
    size,
    classNames: panel,
    'data-autofocus': autoFocus || undefined,
  } satisfies Partial<InputWrapperProps> & Record<string, unknown>
  const choose = (draft: string) => {
    onChange(draft)
    onCommit?.(draft)
  }
  if (type === 'bool')
    return required ? (
      <Radio.Group label={name} error={error} value={value} onChange={choose}>
        <Group mt={4}>
          <Radio
            value="true"
            label={t('field.yes')}
            data-autofocus={autoFocus || undefined}
          />
          <Radio value="false" label={t('field.no')} />
        </Group>
      </Radio.Group>
    ) : (
      <Switch
        label={name}
        size={size}
        error={error}
        disabled={disabled}
        labelPosition={panel ? 'left' : 'right'}
        classNames={
          panel && {
            body: classes.switchBody,
            labelWrapper: classes.switchLabel,
            label: panel.label,
          }
        }
        checked={value === 'true'}
        onChange={(event) => choose(String(event.currentTarget.checked))}
      />
    )
  if (type === 'choice') {
    const known = (field.options ?? []).includes(value) || value === ''
    return (
      <NativeSelect
        {...shared}
        disabled={disabled}
        value={value}
        data={[
          { value: '', label: t('field.none') },
          ...(known ? [] : [value]),
          ...(field.options ?? []),
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
    )
  }
  const link = type === 'link' ? linkOf(value.trim()) : null
  return (
    <TextInput
      {...shared}
      readOnly={disabled}
      type={type === 'date' ? 'date' : 'text'}
      inputMode={
        type === 'number'
          ? 'decimal'
          : type === 'cpf'
            ? 'numeric'
            : type === 'link'
              ? 'url'
              : undefined
      }
      autoComplete="off"
      maxLength={type === 'date' ? undefined : type === 'link' ? 2000 : 1000}
      value={value}
      rightSectionPointerEvents="all"
      rightSection={
        value !== '' &&
        link && (
          <ActionIcon
            component="a"
            href={link}
            target="_blank"
            rel="noopener noreferrer"
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={t('field.open', { name })}
            title={t('field.open', { name })}
          >
            <IconExternalLink size={15} />
          </ActionIcon>
        )
      }
      onChange={(event) => onChange(typed(field, event.currentTarget.value))}
      onBlur={() => onCommit?.(value)}
      onKeyDown={(event: KeyboardEvent<HTMLInputElement>) => {
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter' && onCommit) {
          event.preventDefault()
          event.currentTarget.blur()
        }
        if (event.key === 'Escape' && onCancel) {
          event.stopPropagation()
          onCancel()
        }
      }}
    />
  )
}
