import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconFile } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../../api/types'
import { Offer } from '../../ui/Offer'
import { submitWithControl } from './submitWithControl'
import {
  chosenTemplate,
  gapKey,
  gapLabel,
  templateOffer,
  type ChosenTemplate,
} from './template'
import { TemplateFile } from './TemplateFile'
import classes from '../thread/Offer.module.css'

type Props = {
  template: Template
  /** What it will cost, or null if that is not known. */
  cost: string | null
  onBack: () => void
  onSend: (template: ChosenTemplate, preview: string) => void
  onLater: (template: ChosenTemplate, preview: string) => void
}

/** TemplateForm has a field per template variable and shows a preview. */
export function TemplateForm({
  template,
  cost,
  onBack,
  onSend,
  onLater,
}: Props) {
  const { t } = useTranslation()
  const [values, setValues] = useState<Record<string, string>>({})
  const [file, setFile] = useState<File | null>(null)
  const [image, setImage] = useState<string | null>(null)
  useEffect(() => {
    if (!file?.type.startsWith('image/')) return setImage(null)
    const address = URL.createObjectURL(file)
    setImage(address)
    return () => URL.revokeObjectURL(address)
  }, [file])
  const set = (key: string, value: string) =>
    setValues((all) => ({ ...all, [key]: value }))
  const complete = template.parameters.every((gap) =>
    values[gapKey(gap)]?.trim(),
  )
  const offer = templateOffer(template, values)
  return (
    <form
      onKeyDown={submitWithControl}
      onSubmit={(event) => {
        event.preventDefault()
        if (complete) onSend(chosenTemplate(template, values), offer.body)
      }}
    >
      <div className={classes.dialog}>
        <Stack gap="sm">
          <div>
            <strong>{template.name}</strong> ({template.language})
            {cost && <span className={classes.cost}> · {cost}</span>}
          </div>
          {template.parameters.map((gap, at) => {
            const key = gapKey(gap)
            const label = gapLabel(template, gap, t)
            if (gap.type !== 'text')
              return (
                <TemplateFile
                  key={key}
                  label={label}
                  type={gap.type}
                  onFile={setFile}
                  onMedia={(media) => set(key, media ?? '')}
                />
              )
            return (
              <TextInput
                key={key}
                label={label}
                placeholder={gap.example ?? ''}
                required
                withAsterisk={false}
                autoFocus={at === 0}
                maxLength={1024}
                value={values[key] ?? ''}
                onChange={(event) => set(key, event.currentTarget.value)}
              />
            )
          })}
          {template.parameters.length === 0 && <p>{t('template.noGaps')}</p>}
        </Stack>
        <div
          className={classes.preview}
          aria-label={t('template.preview')}
          role="group"
        >
          <p aria-hidden>{t('template.preview')}</p>
          <div className={classes.phone}>
            {image ? (
              <img src={image} alt="" />
            ) : (
              file && (
                <p>
                  <IconFile size={16} /> {file.name}
                </p>
              )
            )}
            <Offer offer={offer} />
          </div>
        </div>
      </div>
      <Group justify="space-between" mt="md">
        <Button variant="default" onClick={onBack}>
          {t('common.back')}
        </Button>
        <Group gap="xs">
          <Button
            variant="default"
            disabled={!complete}
            onClick={() =>
              onLater(chosenTemplate(template, values), offer.body)
            }
          >
            {t('composer.later')}
          </Button>
          <Button type="submit" disabled={!complete}>
            {t('template.title')}
          </Button>
        </Group>
      </Group>
    </form>
  )
}
