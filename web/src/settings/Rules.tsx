import '@mantine/core/styles/NumberInput.layer.css'
import '@mantine/core/styles/Radio.layer.css'
import {
  Group,
  NativeSelect,
  NumberInput,
  Radio,
  Stack,
  Switch,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { AttendanceRules } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Page, Section } from '../ui/Layout'
import { useRules } from './hours/useHours'
import { HoursSelect } from './HoursSelect'
import { OptOutForm } from './OptOutForm'
import { unitNames, unitOf, units, type Unit } from './units'
import { useFresh } from './useFresh'

/** Rules is the page of the rules for cases. */
export default function Rules() {
  const { t } = useTranslation()
  useFresh(keys.rules, keys.hours)
  const rules = useRules()
  const optOut = useQuery({
    queryKey: keys.optOut,
    gcTime: 0, // the form starts with what is stored now
    queryFn: () => unwrap(api.GET('/company/opt-out')),
  })
  return (
    <Page title={t('rules.title')} text={t('rules.text')}>
      <Loaded query={rules}>
        {(data) => <RulesForm key={rules.dataUpdatedAt} rules={data} />}
      </Loaded>
      <Loaded query={optOut}>{(data) => <OptOutForm settings={data} />}</Loaded>
    </Page>
  )
}

function RulesForm({ rules }: { rules: AttendanceRules }) {
  const { t } = useTranslation()
  const [value, setValue] = useState(rules)
  const [unit, setUnit] = useState(() => unitOf(rules.auto_close.after_minutes))
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['auto_close.after_minutes', 'hours_id', 'grace_minutes'],
  })
  const change = (part: Partial<AttendanceRules>) => {
    touch()
    setValue({ ...value, ...part })
  }
  const { auto_close: closing } = value
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() =>
      unwrap(
        api.PATCH('/company/attendance', {
          body: {
            enabled: value.enabled,
            first_responder_takes_ownership:
              value.first_responder_takes_ownership,
            mode: value.mode,
            keep_revoked: value.keep_revoked,
            grace_minutes: value.grace_minutes,
            grace_for_customers: value.grace_for_customers,
            auto_close: closing,
            hours_id: value.hours_id,
          },
        }),
      ),
    )
  }
  return (
    <form onSubmit={submit}>
      <Section title={t('rules.attendances')} text={t('rules.attendancesText')}>
        <Stack gap="md">
          <Switch
            label={t('rules.enabled')}
            description={t('rules.enabledText')}
            checked={value.enabled}
            onChange={(event) =>
              change({ enabled: event.currentTarget.checked })
            }
          />
          <Switch
            label={t('rules.first')}
            description={t('rules.firstText')}
            disabled={!value.enabled}
            checked={value.first_responder_takes_ownership}
            onChange={(event) =>
              change({
                first_responder_takes_ownership: event.currentTarget.checked,
              })
            }
          />
        </Stack>
      </Section>
      <Section title={t('rules.mode')}>
        <Radio.Group
          aria-label={t('rules.mode')}
          value={value.mode}
          onChange={(mode) => change({ mode: mode as AttendanceRules['mode'] })}
        >
          <Stack gap="md">
            <Radio
              value="liberal"
              disabled={!value.enabled}
              label={t('rules.liberal')}
              description={t('rules.liberalText')}
            />
            <Radio
              value="restricted"
              disabled={!value.enabled}
              label={t('rules.restricted')}
              description={t('rules.restrictedText')}
            />
          </Stack>
        </Radio.Group>
      </Section>
      <Section title={t('hours.select')} text={t('hours.companyText')}>
        <HoursSelect
          titled
          value={value.hours_id}
          none={t('hours.always')}
          error={wrong.hours_id}
          onChange={(hours_id) => change({ hours_id })}
        />
      </Section>
      <Section title={t('rules.closing')}>
        <Stack gap="md">
          <Switch
            label={t('rules.auto')}
            description={t('rules.autoText')}
            disabled={!value.enabled}
            checked={closing.enabled}
            onChange={(event) =>
              change({
                auto_close: {
                  ...closing,
                  enabled: event.currentTarget.checked,
                },
              })
            }
          />
          {closing.enabled && (
            <Group align="flex-end" gap="xs">
              <NumberInput
                label={t('rules.after')}
                min={1}
                max={Math.floor(525_600 / units[unit])}
                allowDecimal={false}
                allowNegative={false}
                disabled={!value.enabled}
                value={closing.after_minutes / units[unit]}
                error={wrong['auto_close.after_minutes']}
                w={120}
                onChange={(number) =>
                  Number(number) >= 1 &&
                  change({
                    auto_close: {
                      ...closing,
                      after_minutes: Math.round(Number(number) * units[unit]),
                    },
                  })
                }
              />
              <NativeSelect
                aria-label={t('rules.unit')}
                disabled={!value.enabled}
                value={unit}
                data={unitNames.map((one) => ({
                  value: one,
                  label: t(`rules.units.${one}`),
                }))}
                onChange={(event) => {
                  const next = event.currentTarget.value as Unit
                  change({
                    auto_close: {
                      ...closing,
                      after_minutes: Math.min(
                        525_600,
                        (closing.after_minutes / units[unit]) * units[next],
                      ),
                    },
                  })
                  setUnit(next)
                }}
              />
            </Group>
          )}
          <NumberInput
            label={t('rules.grace')}
            description={t('rules.graceText')}
            min={0}
            max={120}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            disabled={!value.enabled}
            value={value.grace_minutes}
            error={wrong.grace_minutes}
            maw={420}
            onChange={(number) =>
              number !== '' && change({ grace_minutes: Number(number) })
            }
          />
          <Switch
            label={t('rules.graceCustomers')}
            description={t('rules.graceCustomersText')}
            disabled={!value.enabled || value.grace_minutes === 0}
            checked={value.grace_for_customers}
            onChange={(event) =>
              change({ grace_for_customers: event.currentTarget.checked })
            }
          />
        </Stack>
      </Section>
      <Section title={t('rules.revoked')}>
        <Stack gap="md">
          <Switch
            label={t('rules.keepRevoked')}
            description={t('rules.keepRevokedText')}
            checked={value.keep_revoked}
            onChange={(event) =>
              change({ keep_revoked: event.currentTarget.checked })
            }
          />
          <FormFooter
            busy={busy}
            saved={done}
            problem={problem}
            submit={t('common.save')}
          />
        </Stack>
      </Section>
    </form>
  )
}
