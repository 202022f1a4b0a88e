import { Switch, Tabs } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import classes from './Composer.module.css'

export type ComposerTab = 'answer' | 'note'

type Props = {
  tab: ComposerTab
  disabled: boolean
  onTab: (tab: ComposerTab) => void
  /** onChosen is called after a tab was clicked, but not on moving through the tabs with the arrow keys. */
  onChosen: () => void
  /** Whether messages are signed; null hides the switch. */
  sign: { on: boolean; fixed: boolean } | null
  onSign: (on: boolean) => void
}

/** ComposerTop is the line with the tabs and the switch for signing. */
export function ComposerTop({
  tab,
  disabled,
  onTab,
  onChosen,
  sign,
  onSign,
}: Props) {
  const { t } = useTranslation()
  const names = { answer: t('composer.answer'), note: t('note.title') }
  return (
    <div className={classes.top}>
      <Tabs
        value={tab}
        onChange={(value) => onTab(value === 'note' ? 'note' : 'answer')}
        variant="none"
        className={classes.tabs}
      >
        <Tabs.List>
          {(['answer', 'note'] as const).map((value) => (
            <Tabs.Tab
              key={value}
              value={value}
              disabled={disabled}
              className={classes.tab}
              aria-controls="composer-box"
              onClick={onChosen}
            >
              {names[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {sign && (
        <Switch
          size="xs"
          label={t('composer.sign')}
          checked={sign.on}
          disabled={sign.fixed}
          onChange={(event) => onSign(event.currentTarget.checked)}
          className={classes.sign}
        />
      )}
    </div>
  )
}
