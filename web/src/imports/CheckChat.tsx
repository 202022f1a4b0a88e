import { Group, Radio } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../api/queries'
import type { Job } from '../jobs/job'
import { dateAndTime, day, number } from '../ui/format'
import { BadLines } from './BadLines'
import { ChatSide } from './ChatSide'
import { ChatTarget, useChatTarget } from './ChatTarget'
import { Check, useCheck } from './Check'
import type { Chosen } from './ImportDialog'
import { dateOrders, type ChatResult, type DateOrder } from './imports'
import classes from './Imports.module.css'

type Props = {
  chosen: Chosen
  conversation: string | undefined
  contact: string | undefined
  onOther: () => void
  onStarted: (job: Job) => void
}

/** CheckChat shows what a chat contains, and asks who the company's side is and which conversation it goes to. */
export function CheckChat({
  chosen,
  conversation,
  contact,
  onOther,
  onStarted,
}: Props) {
  const { t } = useTranslation()
  const company = useMe().company.name
  const [me, setMe] = useState<string | null>(null)
  const [order, setOrder] = useState<DateOrder | null>(null)
  const target = useChatTarget(conversation, contact)
  const check = useCheck<ChatResult>(chosen, {
    kind: 'chat',
    ...(order && { date_order: order }),
  })
  const result = check.data
  const count = result?.messages ?? 0
  const shown = number(count)
  const side = me ?? result?.me ?? null
  return (
    <Check
      chosen={chosen}
      check={check}
      spoken={t('imports.chatChecked', { count, shown })}
      form={
        count > 0 && side !== null && target.fields
          ? {
              kind: 'chat',
              ...target.fields,
              me: side,
              date_order: order ?? result?.date_order,
            }
          : null
      }
      button={t('imports.importMessages', { count, shown })}
      onOther={onOther}
      onStarted={onStarted}
    >
      {result && (
        <>
          <Facts result={result} />
          <div className={classes.halves}>
            <ChatSide
              senders={result.senders ?? []}
              company={company}
              value={side}
              onChange={setMe}
            />
            <ChatTarget target={target} />
          </div>
          <Preview result={result} me={side}>
            {(order !== null || result.date_order_certain === false) && (
              <Radio.Group
                mt={8}
                mb={12}
                label={t('imports.dateOrder')}
                description={t('imports.dateOrderText')}
                value={order ?? result.date_order}
                onChange={(next) => setOrder(next as DateOrder)}
              >
                <Group mt={8} gap="md">
                  {dateOrders.map((one) => (
                    <Radio
                      key={one}
                      value={one}
                      label={t(`imports.order.${one}`)}
                    />
                  ))}
                </Group>
              </Radio.Group>
            )}
          </Preview>
          <BadLines result={result} />
        </>
      )}
    </Check>
  )
}

/** Facts shows how many messages and files a chat has, and its period. */
function Facts({ result }: { result: ChatResult }) {
  const { t } = useTranslation()
  const { messages, files, first_at: first, last_at: last } = result
  const facts = [
    [t('imports.messages'), number(messages)],
    [t('imports.files'), number(files)],
    [t('imports.first'), first && day(first)],
    [t('imports.last'), last && day(last)],
  ] as const
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([name, value]) =>
          value && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Preview shows the first messages of a chat, the company's on the right. */
function Preview({
  result: { preview = [] },
  me,
  children,
}: {
  result: ChatResult
  me: string | null
  children: ReactNode
}) {
  const { t } = useTranslation()
  const id = useId()
  if (preview.length === 0) return null
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 id={id}>{t('imports.chatPreview')}</h3>
      {children}
      <div
        className={classes.chat}
        role="group"
        aria-labelledby={id}
        tabIndex={0}
      >
        {preview.map(({ sender, at, text, file }, row) => (
          <p
            key={row}
            className={classes.bubble}
            data-side={sender === me ? 'out' : 'in'}
          >
            <small>
              {sender}, {dateAndTime(at)}
            </small>
            {file && (
              <>
                <IconPaperclip size={15} aria-hidden />
                {file}
                {text && <br />}
              </>
            )}
            {text}
          </p>
        ))}
      </div>
    </section>
  )
}
