import { IconChevronDown } from '@tabler/icons-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { withTexts } from '../../ui/i18n'
import { part } from '../../ui/parts'
import type { BubbleActionsProps } from './BubbleMenu'
import classes from './Bubble.module.css'

const BubbleMenu = part(() =>
  withTexts('talk', import('./BubbleMenu')).then((loaded) => loaded.BubbleMenu),
)

/** BubbleActions is the button of a message's menu. A thread has hundreds of them, so the menu is created when it is opened. */
export function BubbleActions(props: BubbleActionsProps) {
  const { t } = useTranslation()
  const [used, setUsed] = useState(false)
  const button = (
    <button
      type="button"
      className={classes.actions}
      aria-label={t('message.actions')}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    >
      <IconChevronDown size={14} aria-hidden />
    </button>
  )
  return used ? (
    <Suspense fallback={button}>
      <BubbleMenu {...props} button={button} />
    </Suspense>
  ) : (
    button
  )
}
