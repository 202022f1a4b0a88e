import {
  Anchor,
  Button,
  CloseButton,
  FileButton,
  Group,
  Input,
  Progress,
} from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusal } from '../api/refusal'
import { contentAddress, upload } from '../api/upload'
import classes from './Settings.module.css'

type Props = {
  media: string | null
  onChange: (media: string | null) => void
  onBusy: (busy: boolean) => void
}

/** ReplyFile is the file of a canned reply. It is uploaded when selected. */
export function ReplyFile({ media, onChange, onBusy }: Props) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [part, setPart] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const choose = async (file: File | null) => {
    if (!file) return
    running.current = new AbortController()
    setProblem(null)
    setName(file.name)
    setPart(0)
    onBusy(true)
    try {
      onChange(
        (await upload(file, file.name, setPart, running.current.signal)).id,
      )
    } catch (error) {
      if (!(error instanceof DOMException)) setProblem(refusal(error, t))
    }
    setPart(null)
    onBusy(false)
  }
  return (
    <div role="group" aria-label={t('replies.attachment')}>
      <span className={classes.label}>{t('replies.attachment')}</span>
      {media ? (
        <Group gap="xs">
          <Anchor
            href={contentAddress(media)}
            target="_blank"
            rel="noopener noreferrer"
            size="sm"
          >
            {name || t('replies.openFile')}
          </Anchor>
          <CloseButton
            size="sm"
            aria-label={t('replies.removeFile')}
            title={t('replies.removeFile')}
            onClick={() => onChange(null)}
          />
        </Group>
      ) : part !== null ? (
        <Progress
          value={part * 100}
          size="sm"
          aria-label={t('attach.progress', { file: name })}
        />
      ) : (
        <FileButton onChange={(file) => void choose(file)}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="compact-sm"
              leftSection={<IconPaperclip size={15} />}
            >
              {t('replies.addFile')}
            </Button>
          )}
        </FileButton>
      )}
      {problem && (
        <Input.Error role="alert" mt={4}>
          {problem}
        </Input.Error>
      )}
    </div>
  )
}
