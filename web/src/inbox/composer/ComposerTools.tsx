import { ActionIcon } from '@mantine/core'
import {
  IconCheck,
  IconClock,
  IconHandClick,
  IconListDetails,
  IconMessage2Bolt,
  IconMicrophone,
  IconMoodSmile,
  IconPaperclip,
  IconPlus,
  IconSignature,
  IconSquareCheck,
  IconTemplate,
} from '@tabler/icons-react'
import { Suspense, useRef, useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionMenu } from '../../ui/ActionMenu'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import { RecordButton } from './RecordButton'
import classes from './Composer.module.css'

const Emoji = part(() =>
  withTexts('composer', import('./Emoji')).then((loaded) => loaded.default),
)

type Props = {
  phone: boolean
  /** Whether only what can be held is offered: text and files. */
  holding: boolean
  /** Whether the number is linked by QR code: WhatsApp then accepts no templates, buttons or lists. */
  linked: boolean
  /** onField puts the cursor back into the text field. */
  onField: () => void
  onFiles: (files: File[]) => void
  onRecord: () => void
  onInsert: (text: string) => void
  onCanned: () => void
  onDialog: (kind: 'template' | 'buttons' | 'list') => void
  /** What the desktop shows elsewhere and a phone in the menu: undefined means not available. */
  onLater: (() => void) | undefined
  onClose: (() => void) | undefined
  sign: { on: boolean; fixed: boolean }
  onSign: (on: boolean) => void
}

/** ComposerTools is the row of buttons below the text. On a phone they are in a menu. */
export function ComposerTools({
  phone,
  holding,
  linked,
  onField,
  onFiles,
  onRecord,
  onInsert,
  onCanned,
  onDialog,
  onLater,
  onClose,
  sign,
  onSign,
}: Props) {
  const { t } = useTranslation()
  const [emoji, setEmoji] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const attach = {
    key: 'attach',
    label: t('composer.attach'),
    icon: <IconPaperclip size={19} />,
    onClick: () => picker.current?.click(),
  }
  const smile = {
    key: 'emoji',
    label: t('composer.emoji'),
    icon: <IconMoodSmile size={19} />,
    onClick: () => setEmoji((open) => !open),
  }
  const canned = {
    key: 'canned',
    label: t('composer.canned'),
    icon: <IconMessage2Bolt size={19} />,
    onClick: onCanned,
  }
  const more = [
    canned,
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
  ].filter((one) => one === canned || !(holding || linked))
  const button = ({ key, label, icon, onClick }: typeof attach) => (
    <ActionIcon
      key={key}
      variant="subtle"
      color="gray"
      size={32}
      aria-label={label}
      title={label}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
  /** picking shows the emoji picker at a button while it is open. */
  const picking = (target: ReactElement) =>
    emoji ? (
      <Suspense fallback={target}>
        <Emoji
          target={target}
          onChoose={onInsert}
          onClose={() => setEmoji(false)}
          onEscape={onField}
        />
      </Suspense>
    ) : (
      target
    )
  const plus = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={44}
      aria-label={t('shell.more')}
      onClick={() => setEmoji(false)}
    >
      <IconPlus size={22} />
    </ActionIcon>
  )
  return (
    <div className={classes.tools}>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = '' // so that the same file can be added again
        }}
      />
      {phone && emoji && picking(plus)}
      {phone && !emoji && (
        <ActionMenu
          position="top-start"
          button={plus}
          actions={[
            attach,
            smile,
            ...more,
            ...(holding
              ? []
              : [
                  {
                    key: 'later',
                    label: t('composer.later'),
                    icon: <IconClock size={19} />,
                    disabled: !onLater,
                    onClick: () => onLater?.(),
                  },
                ]),
            ...(onClose
              ? [
                  {
                    key: 'close',
                    label: t('composer.sendClose'),
                    icon: <IconSquareCheck size={19} />,
                    onClick: onClose,
                  },
                ]
              : []),
            {
              key: 'sign',
              label: t('composer.sign'),
              icon: sign.on ? (
                <IconCheck size={19} />
              ) : (
                <IconSignature size={19} />
              ),
              disabled: sign.fixed,
              onClick: () => onSign(!sign.on),
            },
          ]}
        />
      )}
      {!phone && (
        <>
          {button(attach)}
          {picking(button(smile))}
          <RecordButton size={32} onRecord={onRecord}>
            <IconMicrophone size={19} />
          </RecordButton>
          {more.map(button)}
        </>
      )}
    </div>
  )
}
