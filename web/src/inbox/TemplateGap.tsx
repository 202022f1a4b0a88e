import { FileInput, TextInput } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Template } from '../api/types'
import { upload } from '../api/upload'
import { refusal } from './refusal'

type Gap = Template['parameters'][number]
type Props = { gap: Gap; value: string; onValue: (value: string) => void }

const accepted: Partial<Record<Gap['type'], string>> = { image: 'image/jpeg,image/png', video: 'video/mp4' }

/** TemplateGap is the field of a gap: a text, or the file of the header, whose id is the value. */
export function TemplateGap({ gap, value, onValue }: Props) {
  const { t } = useTranslation()
  if (gap.type !== 'text') return <FileGap gap={gap} onValue={onValue} />
  return (
    <TextInput
      label={t(`template.${gap.component}`, { gap: gap.name ?? gap.index })} placeholder={gap.example ?? ''} required withAsterisk={false} value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  )
}

function FileGap({ gap, onValue }: Omit<Props, 'value'>) {
  const { t } = useTranslation()
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const choose = (file: File | null) => {
    running.current?.abort()
    setProblem(null)
    onValue('')
    if (!file) return
    const control = (running.current = new AbortController())
    upload(file, file.name, () => undefined, control.signal)
      .then((media) => onValue(media.id))
      .catch((error: unknown) => !(error instanceof DOMException) && setProblem(refusal(error, t)))
  }
  return <FileInput label={t('template.file', { kind: t(`kind.${gap.type === 'image' ? 'photo' : gap.type}`) })} placeholder={t('template.choose')} accept={accepted[gap.type]} error={problem} onChange={choose} />
}
