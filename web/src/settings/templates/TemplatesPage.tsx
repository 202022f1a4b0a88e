import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../api/Loaded'
import { useChannels } from '../../api/queries'
import { Empty } from '../../ui/states'
import { TemplateBuilder } from './TemplateBuilder'
import { TemplateList } from './TemplateList'

type Props = { id: string; page: string | undefined; from: string | undefined }

/** TemplatesPage is the page of a number's templates: the list, one template or the builder, which may start from a template. */
export default function TemplatesPage({ id, page, from }: Props) {
  const { t } = useTranslation()
  const channels = useChannels()
  return (
    <Loaded query={channels}>
      {(all) => {
        const channel = all.find((one) => one.id === id)
        if (channel?.provider !== 'whatsapp')
          return (
            <Empty title={t('channels.gone')}>
              <Button
                component={Link}
                to="/settings/channels"
                variant="default"
              >
                {t('channels.title')}
              </Button>
            </Empty>
          )
        return page === 'new' ? (
          <TemplateBuilder key={from} channel={channel} from={from} />
        ) : (
          <TemplateList channel={channel} open={page} />
        )
      }}
    </Loaded>
  )
}
