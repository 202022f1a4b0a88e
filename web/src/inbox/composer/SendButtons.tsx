import { ActionIcon, Button } from '@mantine/core'
import {
  IconChevronDown,
  IconClock,
  IconHourglass,
  IconMicrophone,
  IconSend2,
} from '@tabler/icons-react'
import type { MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { ActionMenu } from '../../ui/ActionMenu'
import { RecordButton } from './RecordButton'
import classes from './Composer.module.css'

type Props = {
  phone: boolean
  label: string
  /** Whether the message waits for the customer's answer. */
  holding: boolean
  ready: boolean
  /** Whether the message is sent as soon as its files are uploaded. */
  waiting: boolean
  /** onLater schedules the message; undefined for notes. */
  onLater: (() => void) | undefined
  canLater: boolean
  /** Whether there is a case that sending can close. */
  closes: boolean
  /** onClose sends the message and closes the case; undefined if nothing can be sent. */
  onClose: (() => void) | undefined
  /** onRecord records a voice message; undefined for notes and if something is written. */
  onRecord: (() => void) | undefined
}

/** keepFocus leaves the focus in the text field on a click, so that a phone keeps its keyboard open. */
const keepFocus = (event: MouseEvent) => event.preventDefault()

/** SendButtons sends what was written: now, later, or together with closing the case. On a phone an empty field has the microphone instead. */
export function SendButtons({
  phone,
  label,
  holding,
  ready,
  waiting,
  onLater,
  canLater,
  closes,
  onClose,
  onRecord,
}: Props) {
  const { t } = useTranslation()
  if (phone)
    return (
      <div className={classes.send}>
        {onRecord && !ready ? (
          <RecordButton size={44} onRecord={onRecord}>
            <IconMicrophone size={22} />
          </RecordButton>
        ) : (
          <ActionIcon
            type="submit"
            radius={22}
            size={44}
            aria-label={label}
            disabled={!ready}
            loading={waiting}
            onMouseDown={keepFocus}
          >
            {holding ? <IconHourglass size={20} /> : <IconSend2 size={20} />}
          </ActionIcon>
        )}
      </div>
    )
  return (
    <div className={classes.send}>
      {onLater && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={32}
          className={classes.later}
          aria-label={t('composer.later')}
          title={t('composer.later')}
          disabled={!canLater}
          onClick={onLater}
        >
          <IconClock size={19} />
        </ActionIcon>
      )}
      <Button.Group className={classes.split}>
        <Button
          type="submit"
          className={classes.now}
          disabled={!ready}
          loading={waiting}
          onMouseDown={keepFocus}
        >
          {label}
        </Button>
        {closes && (
          <ActionMenu
            position="top-end"
            button={
              <Button
                className={classes.arrow}
                disabled={!onClose || waiting}
                aria-label={t('composer.sendMore')}
                title={t('composer.sendMore')}
              >
                <IconChevronDown size={16} />
              </Button>
            }
            actions={[
              {
                key: 'close',
                label: t('composer.sendClose'),
                onClick: () => onClose?.(),
              },
            ]}
          />
        )}
      </Button.Group>
    </div>
  )
}
