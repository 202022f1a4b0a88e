import { ActionIcon, FileButton } from '@mantine/core'
import { IconMessage2Bolt, IconMicrophone, IconMoodSmile, IconPaperclip, IconTemplate } from '@tabler/icons-react'
import { Suspense, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { part } from '../ui/parts'

const Emoji = part(() => import('./Emoji').then((loaded) => loaded.default))

type Props = { onFiles: (files: File[]) => void; onRecord: () => void; onInsert: (text: string) => void; onTemplate: () => void; onCanned: () => void }

/** ComposerTools are the buttons below the text. */
export function ComposerTools({ onFiles, onRecord, onInsert, onTemplate, onCanned }: Props) {
  const { t } = useTranslation()
  const [emoji, setEmoji] = useState(false)
  const secure = window.isSecureContext && typeof MediaRecorder !== 'undefined'
  const button = (label: string, icon: ReactNode, onClick: () => void, title = label, disabled = false) => (
    <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} title={title} disabled={disabled} onClick={onClick}>
      {icon}
    </ActionIcon>
  )
  return (
    <>
      <FileButton multiple onChange={onFiles}>
        {(props) => (
          <ActionIcon {...props} variant="subtle" color="gray" size={32} aria-label={t('composer.attach')} title={t('composer.attach')}>
            <IconPaperclip size={19} />
          </ActionIcon>
        )}
      </FileButton>
      {emoji ? (
        <Suspense fallback={button(t('composer.emoji'), <IconMoodSmile size={19} />, () => undefined)}>
          <Emoji target={button(t('composer.emoji'), <IconMoodSmile size={19} />, () => setEmoji(false))} onChoose={onInsert} onClose={() => setEmoji(false)} />
        </Suspense>
      ) : (
        button(t('composer.emoji'), <IconMoodSmile size={19} />, () => setEmoji(true))
      )}
      {button(t('composer.record'), <IconMicrophone size={19} />, onRecord, secure ? t('composer.record') : t('composer.recordInsecure'), !secure)}
      {button(t('composer.canned'), <IconMessage2Bolt size={19} />, onCanned)}
      {button(t('composer.template'), <IconTemplate size={19} />, onTemplate)}
    </>
  )
}
