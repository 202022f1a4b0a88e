import { Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { Page } from '../ui/Layout'
import { Empty } from '../ui/states'
import { SecretDialog } from './SecretDialog'
import { WebhookDialog } from './WebhookDialog'
import { WebhookItem } from './WebhookItem'

/** Webhooks is the page of webhooks and their deliveries. */
export default function Webhooks() {
  const { t } = useTranslation()
  const all = useQuery({
    queryKey: keys.webhooks,
    staleTime: 0,
    queryFn: async () => (await unwrap(api.GET('/integrations/webhooks'))).data,
  })
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<string>()
  const create = (
    <Button
      leftSection={<IconPlus size={16} />}
      onClick={() => setMaking(true)}
    >
      {t('webhooks.new')}
    </Button>
  )
  return (
    <Page
      title={t('webhooks.title')}
      text={t('webhooks.text')}
      action={(all.data?.length ?? 0) > 0 && create}
    >
      <Loaded query={all}>
        {(data) =>
          data.length === 0 ? (
            <Empty
              icon={<IconWebhook size={28} />}
              title={t('webhooks.none')}
              text={t('webhooks.noneText')}
            >
              {create}
            </Empty>
          ) : (
            data.map((webhook) => (
              <WebhookItem
                key={webhook.id}
                webhook={webhook}
                onSecret={setSecret}
              />
            ))
          )
        }
      </Loaded>
      {making && (
        <WebhookDialog onClose={() => setMaking(false)} onSecret={setSecret} />
      )}
      {secret && (
        <SecretDialog
          title={t('webhooks.copyNow')}
          text={t('webhooks.copyText')}
          secret={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  )
}
