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
  ['a', 'take'],
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
              <Table.Td w={90}>
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
