import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Mantine gives every modal window the role dialog; one that asks before something is lost is an alertdialog. */
const markAlert = (node: HTMLElement | null) =>
  node?.closest('[role="dialog"]')?.setAttribute('role', 'alertdialog')

/** opener is what has the focus and will be there when a dialog closes: for an item of a menu, the button of that menu. */
function opener(): Element | null {
  const menu = document.activeElement?.closest('[role=menu]')
  return menu
    ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
    : document.activeElement
}

/** The openers of each open dialog, the newest dialog last: what opened it, then what opened the dialog that it was opened from. */
const open: HTMLElement[][] = []

/** openers are those of a dialog that opens now: a dialog may replace the one that opened it, and its own opener is gone then. */
function openers(): HTMLElement[] {
  const before = opener()
  return [
    ...(before instanceof HTMLElement && before !== document.body
      ? [before]
      : []),
    ...(open.at(-1) ?? []),
  ]
}

/** useFocusBack gives the focus back to where it was before the dialog, unless what closed it put the focus elsewhere. */
function useFocusBack(): void {
  const [before] = useState(openers)
  useEffect(() => {
    open.push(before)
    return () => {
      setTimeout(() => {
        open.splice(open.indexOf(before), 1)
        const covered = open.at(-1) ?? [] // by the dialog that is open now
        for (const element of before) {
          if (document.activeElement !== document.body) return
          if (!covered.includes(element)) element.focus({ preventScroll: true })
        }
      })
    }
  }, [before])
}

/** Dialog is a modal window with its name as title and a corner button "Dismiss". */
export function Dialog({
  children,
  role,
  ...props
}: Omit<ModalProps, 'opened'>) {
  const { t } = useTranslation()
  useFocusBack()
  return (
    <Modal
      opened
      centered
      closeButtonProps={{ 'aria-label': t('common.dismiss') }}
      {...props}
    >
      {role === 'alertdialog' ? (
        <div ref={markAlert}>{children}</div>
      ) : (
        children
      )}
    </Modal>
  )
}
