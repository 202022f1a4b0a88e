import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { number } from '../ui/format'
import type { Sender } from './imports'

type Props = {
  senders: Sender[]
  company: string
  value: string | null
  onChange: (name: string) => void
}

/** ChatSide asks which sender of a chat is the company. If there is one sender, it may be the customer: then the value is a name that did not write. */
export function ChatSide({ senders, company, value, onChange }: Props) {
  const { t } = useTranslation()
  const names = senders.map(({ name }) => name)
  const absent = names.includes(company) ? `${company} 2` : company
  const chosen = value === null || names.includes(value) ? value : absent
  return (
    <Radio.Group
      mt="lg"
      label={t('imports.yourSide')}
      description={t('imports.yourSideText')}
      value={chosen ?? ''}
      onChange={onChange}
    >
      <Stack mt={8} gap={8}>
        {senders.map(({ name, messages }) => (
          <Radio
            key={name}
            value={name}
            label={`${name}, ${t('imports.messageCount', { count: messages, shown: number(messages) })}`}
          />
        ))}
        {senders.length === 1 && (
          <Radio value={absent} label={t('imports.onlyCustomer')} />
        )}
      </Stack>
    </Radio.Group>
  )
}
