import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { problemText } from '../api/problem'
import { Empty, Failure, Loading } from '../ui/states'
import { SecretDialog } from './SecretDialog'
import { WebhookDialog } from './WebhookDialog'
import { WebhookItem } from './WebhookItem'
import classes from '../ui/page.module.css'

/** Webhooks lists the addresses that receive events, each with what was sent to it. */
export default function Webhooks() {
  const { t } = useTranslation()
  const all = useQuery({ queryKey: keys.webhooks, staleTime: 0, queryFn: async () => (await answer(api.GET('/integrations/webhooks'))).data })
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div>
          <h1>{t('webhooks.title')}</h1>
          <p>{t('webhooks.text')}</p>
        </div>
        <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>{t('webhooks.new')}</Button>
      </header>
      {all.isPending && <Loading rows={3} />}
      {all.isError && <Failure message={problemText(all.error, t)} onRetry={() => void all.refetch()} />}
      {all.data?.length === 0 && <Empty title={t('webhooks.none')} text={t('webhooks.noneText')} />}
      {all.data?.map((webhook) => <WebhookItem key={webhook.id} webhook={webhook} onSecret={setSecret} />)}
      {making && <WebhookDialog onClose={() => setMaking(false)} onSecret={setSecret} />}
      {secret && <SecretDialog title={t('webhooks.copyNow')} text={t('webhooks.copyText')} secret={secret} onClose={() => setSecret(undefined)} />}
    </div>
  )
}
