import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Mantine gives every modal the role dialog. Confirmations need the role alertdialog. */
const markAlert = (node: HTMLElement | null) =>
  node?.closest('[role="dialog"]')?.setAttribute('role', 'alertdialog')

/** opener returns the focused element to return to when a dialog closes. For a menu item it is the menu's button. */
function opener(): Element | null {
  const menu = document.activeElement?.closest('[role=menu]')
  return menu
    ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
    : document.activeElement
}

/** The openers of each open dialog, newest dialog last: the element that opened it, then the opener of the dialog it was opened from. */
const open: HTMLElement[][] = []

/** openers returns the openers of a dialog that is about to open. A dialog can replace the one that opened it, and that one's own opener may then be gone. */
function openers(): HTMLElement[] {
  const before = opener()
  return [
    ...(before instanceof HTMLElement && before !== document.body
      ? [before]
      : []),
    ...(open.at(-1) ?? []),
  ]
}

/** useFocusBack returns the focus to the opener when the dialog closes, unless something else has taken it. */
function useFocusBack(): void {
  const [before] = useState(openers)
  useEffect(() => {
    open.push(before)
    return () => {
      setTimeout(() => {
        open.splice(open.indexOf(before), 1)
        const covered = open.at(-1) ?? [] // the openers of the dialog below
        for (const element of before) {
          if (document.activeElement !== document.body) return
          if (!covered.includes(element)) element.focus({ preventScroll: true })
        }
      })
    }
  }, [before])
}

/** Dialog is a modal with a title and a "Dismiss" button in the corner. */
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
