import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { CountedField } from '../reception/CountedField'
import {
  buttonTypes,
  canAdd,
  hasVariable,
  limits,
  withButton,
  type ButtonDraft,
} from './templateForm'
import classes from './Templates.module.css'

type Props = {
  buttons: ButtonDraft[]
  wrong: Record<string, string>
  onChange: (buttons: ButtonDraft[]) => void
}

/** ButtonsField edits the buttons of a template: quick replies, links and a phone number. */
export function ButtonsField({ buttons, wrong, onChange }: Props) {
  const { t } = useTranslation()
  const set = (key: string, part: Partial<ButtonDraft>) =>
    onChange(
      buttons.map((one) => (one.key === key ? { ...one, ...part } : one)),
    )
  return (
    <Stack gap="sm">
      {buttons.map((button, at) => (
        <ButtonFields
          key={button.key}
          button={button}
          number={at + 1}
          wrong={(name) =>
            wrong[`buttons[${at}].${name}`] ??
            (name === 'text' ? wrong[`buttons[${at}]`] : undefined)
          }
          onChange={(part) => set(button.key, part)}
          onRemove={() =>
            onChange(buttons.filter((one) => one.key !== button.key))
          }
        />
      ))}
      <Group gap="xs">
        {buttonTypes.map((type) => (
          <Button
            key={type}
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            disabled={!canAdd(buttons, type)}
            onClick={() =>
              onChange(
                withButton(buttons, {
                  key: crypto.randomUUID(),
                  type,
                  text: '',
                  target: '',
                  sample: '',
                }),
              )
            }
          >
            {t(`templates.button.${type}`)}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

type FieldsProps = {
  button: ButtonDraft
  number: number
  wrong: (name: string) => string | undefined
  onChange: (part: Partial<ButtonDraft>) => void
  onRemove: () => void
}

function ButtonFields({
  button: { type, text, target, sample },
  number,
  wrong,
  onChange,
  onRemove,
}: FieldsProps) {
  const { t } = useTranslation()
  const title = t('templates.buttonTitle', {
    n: number,
    type: t(`templates.button.${type}`),
  })
  return (
    <fieldset className={classes.part}>
      <legend>{title}</legend>
      <div
        className={classes.pair}
        data-alone={type === 'quick_reply' || undefined}
      >
        <CountedField
          label={t('templates.buttonText')}
          most={limits.button}
          value={text}
          error={wrong('text')}
          onChange={(value) => onChange({ text: value })}
        />
        {type === 'url' && (
          <TextInput
            label={t('templates.url')}
            placeholder="https://example.com"
            maxLength={limits.url}
            value={target}
            error={wrong('url')}
            onChange={(event) =>
              onChange({ target: event.currentTarget.value })
            }
          />
        )}
        {type === 'phone' && (
          <TextInput
            label={t('templates.phone')}
            placeholder="+55 11 3333-4444"
            maxLength={limits.phone}
            value={target}
            error={wrong('phone_number')}
            onChange={(event) =>
              onChange({ target: event.currentTarget.value })
            }
          />
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('templates.removeButton', { n: number })}
          title={t('templates.removeButton', { n: number })}
          onClick={onRemove}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      </div>
      {type === 'url' && hasVariable(target) && (
        <TextInput
          label={t('templates.urlSample')}
          placeholder={target.replace(/\{\{.*$/, '1234')}
          maxLength={limits.url}
          value={sample}
          error={wrong('example')}
          onChange={(event) => onChange({ sample: event.currentTarget.value })}
        />
      )}
    </fieldset>
  )
}
