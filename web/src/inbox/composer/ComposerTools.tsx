import { ActionIcon, FileButton } from '@mantine/core'
import {
  IconDots,
  IconListDetails,
  IconMessage2Bolt,
  IconMicrophone,
  IconMoodSmile,
  IconPaperclip,
  IconTemplate,
  IconHandClick,
} from '@tabler/icons-react'
import { Suspense, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionMenu } from '../../ui/ActionMenu'
import { part } from '../../ui/parts'
import { usePhone } from '../../ui/usePhone'

const Emoji = part(() => import('./Emoji').then((loaded) => loaded.default))

type Props = {
  onFiles: (files: File[]) => void
  onRecord: () => void
  onInsert: (text: string) => void
  onCanned: () => void
  onDialog: (kind: 'template' | 'buttons' | 'list') => void
}

/** ComposerTools is the row of buttons below the text. */
export function ComposerTools({
  onFiles,
  onRecord,
  onInsert,
  onCanned,
  onDialog,
}: Props) {
  const { t } = useTranslation()
  const phone = usePhone()
  const [emoji, setEmoji] = useState(false)
  const secure = window.isSecureContext && typeof MediaRecorder !== 'undefined'
  const button = (
    label: string,
    icon: ReactNode,
    onClick: () => void,
    title = label,
    disabled = false,
  ) => (
    <ActionIcon
      key={label}
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      title={title}
      disabled={disabled}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
  const more = [
    {
      key: 'template',
      label: t('composer.template'),
      icon: <IconTemplate size={19} />,
      onClick: () => onDialog('template'),
    },
    {
      key: 'buttons',
      label: t('composer.buttons'),
      icon: <IconHandClick size={19} />,
      onClick: () => onDialog('buttons'),
    },
    {
      key: 'list',
      label: t('composer.list'),
      icon: <IconListDetails size={19} />,
      onClick: () => onDialog('list'),
    },
  ]
  return (
    <>
      <FileButton multiple onChange={onFiles}>
        {(props) => (
          <ActionIcon
            {...props}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('composer.attach')}
            title={t('composer.attach')}
          >
            <IconPaperclip size={19} />
          </ActionIcon>
        )}
      </FileButton>
      {emoji ? (
        <Suspense
          fallback={button(
            t('composer.emoji'),
            <IconMoodSmile size={19} />,
            () => undefined,
          )}
        >
          <Emoji
            target={button(
              t('composer.emoji'),
              <IconMoodSmile size={19} />,
              () => setEmoji(false),
            )}
            onChoose={onInsert}
            onClose={() => setEmoji(false)}
          />
        </Suspense>
      ) : (
        button(t('composer.emoji'), <IconMoodSmile size={19} />, () =>
          setEmoji(true),
        )
      )}
      {button(
        t('composer.record'),
        <IconMicrophone size={19} />,
        onRecord,
        secure ? t('composer.record') : t('composer.recordInsecure'),
        !secure,
      )}
      {button(t('composer.canned'), <IconMessage2Bolt size={19} />, onCanned)}
      {phone ? (
        <ActionMenu
          button={
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('shell.more')}
            >
              <IconDots size={19} />
            </ActionIcon>
          }
          actions={more}
        />
      ) : (
        more.map(({ label, icon, onClick }) => button(label, icon, onClick))
      )}
    </>
  )
}
