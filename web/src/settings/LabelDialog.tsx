import { Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Label } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import classes from './Settings.module.css'

const colours = [
  { name: 'green', hex: '#2e7d32' },
  { name: 'teal', hex: '#00796b' },
  { name: 'blue', hex: '#1565c0' },
  { name: 'indigo', hex: '#3949ab' },
  { name: 'purple', hex: '#7b1fa2' },
  { name: 'pink', hex: '#c2185b' },
  { name: 'red', hex: '#c62828' },
  { name: 'orange', hex: '#d84315' },
  { name: 'amber', hex: '#b26a00' },
  { name: 'brown', hex: '#6d4c41' },
  { name: 'grey', hex: '#607d8b' },
] as const

/** LabelDialog creates a label or edits its name and colour. */
export function LabelDialog({
  label,
  onClose,
}: {
  label: Label | null
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(label?.name ?? '')
  const [color, setColor] = useState(
    label?.color.toLowerCase() ?? colours[0].hex,
  )
  const { busy, problem, wrong, run } = useSubmit({ fields: ['name', 'color'] })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { name: name.trim(), color }
    const done = await run(async () => {
      await (label
        ? unwrap(
            api.PATCH('/labels/{id}', {
              params: { path: { id: label.id } },
              body,
            }),
          )
        : unwrap(api.POST('/labels', { body })))
      await client.invalidateQueries({ queryKey: keys.labels })
    })
    if (done) onClose()
  }
  return (
    <Dialog
      title={t(label ? 'labels.editTitle' : 'labels.new')}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          <TextInput
            label={t('settings.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <ColourChoice value={color} onChange={setColor} />
          <FormFooter busy={busy} problem={problem} submit={t('common.save')} />
        </Stack>
      </form>
    </Dialog>
  )
}

/** ColourChoice offers colours that are readable in both themes, and a custom one. */
function ColourChoice({
  value,
  onChange,
}: {
  value: string
  onChange: (colour: string) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <div role="radiogroup" aria-labelledby={id}>
      <span id={id} className={classes.label}>
        {t('labels.colour')}
      </span>
      <div className={classes.colours}>
        {colours.map(({ name, hex }) => (
          <input
            key={name}
            type="radio"
            name={id}
            aria-label={t(`labels.colours.${name}`)}
            title={t(`labels.colours.${name}`)}
            className={classes.colour}
            style={{ background: hex }}
            checked={value === hex}
            onChange={() => onChange(hex)}
          />
        ))}
        <label
          className={classes.otherColour}
          data-chosen={colours.every(({ hex }) => hex !== value)}
        >
          <input
            type="color"
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          <span>{t('labels.otherColour')}</span>
        </label>
      </div>
    </div>
  )
}
