import '@mantine/core/styles/Radio.layer.css'
import { Group, Radio } from '@mantine/core'

type Props<Value extends string> = {
  label: string
  description?: string
  value: Value
  options: [Value, string][]
  onChange: (value: Value) => void
}

/** Choice is a radio group with a few values. */
export function Choice<Value extends string>({
  label,
  description,
  value,
  options,
  onChange,
}: Props<Value>) {
  return (
    <Radio.Group
      label={label}
      description={description}
      value={value}
      onChange={(next) => onChange(next as Value)}
    >
      <Group gap="lg" mt={8}>
        {options.map(([one, text]) => (
          <Radio key={one} value={one} label={text} />
        ))}
      </Group>
    </Radio.Group>
  )
}
