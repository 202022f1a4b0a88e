import { Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Label } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'
import { FormFooter } from '../ui/FormFooter'
import classes from './Settings.module.css'

const colours = {
  green: '#2e7d32',
  teal: '#00796b',
  blue: '#1565c0',
  indigo: '#3949ab',
  purple: '#7b1fa2',
  pink: '#c2185b',
  red: '#c62828',
  orange: '#d84315',
  amber: '#b26a00',
  brown: '#6d4c41',
  grey: '#607d8b',
} as const

/** LabelDialog creates a label, or changes the name and the colour of one. */
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
    label?.color.toLowerCase() ?? colours.green,
  )
  const { busy, problem, wrong, run } = useSubmit({ fields: ['name', 'color'] })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { name: name.trim(), color }
    const done = await run(async () => {
      await (label
        ? answer(
            api.PATCH('/labels/{id}', {
              params: { path: { id: label.id } },
              body,
            }),
          )
        : answer(api.POST('/labels', { body })))
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

/** ColourChoice offers colours that can be read in both themes, and any other. */
function ColourChoice({
  value,
  onChange,
}: {
  value: string
  onChange: (colour: string) => void
}) {
  const { t } = useTranslation()
  const id = useId()
  const listed = Object.entries(colours)
  return (
    <div role="radiogroup" aria-labelledby={id}>
      <span id={id} className={classes.label}>
        {t('labels.colour')}
      </span>
      <div className={classes.colours}>
        {listed.map(([key, colour]) => (
          <input
            key={key}
            type="radio"
            name={id}
            aria-label={t(`labels.colours.${key}`)}
            title={t(`labels.colours.${key}`)}
            className={classes.colour}
            style={{ background: colour }}
            checked={value === colour}
            onChange={() => onChange(colour)}
          />
        ))}
        <label
          className={classes.otherColour}
          data-chosen={!listed.some(([, colour]) => colour === value)}
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
