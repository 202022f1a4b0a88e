import { Kbd, Table } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../ui/Dialog'

const rows = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['r', 'answer'],
  ['n', 'note'],
  ['t', 'transfer'],
  ['e', 'close'],
  ['u', 'unread'],
  ['s', 'snooze'],
  ['l', 'labels'],
  ['x', 'select'],
  ['c', 'new'],
  ['/', 'search'],
  ['g i', 'goInbox'],
  ['g c', 'goContacts'],
  ['g b', 'goBoards'],
  ['g r', 'goReport'],
  ['g n', 'goNotifications'],
  ['Ctrl Shift Enter', 'sendAndClose'],
  ['Ctrl K', 'palette'],
  ['Ctrl F', 'find'],
  ['?', 'help'],
] as const

/** Shortcuts lists the keyboard shortcuts. */
export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog title={t('shell.shortcuts')} onClose={onClose}>
      <Table verticalSpacing={5}>
        <Table.Tbody>
          {rows.map(([keys, name]) => (
            <Table.Tr key={name}>
              <Table.Td w={160}>
                {keys.split(' ').map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{t(`keys.${name}`)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  )
}
