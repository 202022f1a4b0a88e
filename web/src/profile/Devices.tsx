import { Stack } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Section } from '../ui/Layout'
import { DeviceList } from './DeviceList'
import { PushKinds } from './PushKinds'
import { QuietHours } from './QuietHours'
import { ThisDevice } from './ThisDevice'

/** Devices edits the push notifications: on this device and others, of which kinds, and when. */
export function Devices() {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === '#devices') box.current?.scrollIntoView()
  }, [])
  return (
    <div ref={box} id="devices">
      <Section title={t('push.title')} text={t('push.text')}>
        <Stack gap="lg">
          <ThisDevice />
          <DeviceList />
          <PushKinds />
          <QuietHours />
        </Stack>
      </Section>
    </div>
  )
}
