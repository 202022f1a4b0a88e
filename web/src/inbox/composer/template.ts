import type { TFunction } from 'i18next'
import type { InteractiveBody, SendBody, Template } from '../../api/types'

export type ChosenTemplate = NonNullable<SendBody['template']>
export type Gap = Template['parameters'][number]

/** gapKey returns the key of a template variable: body.1 or body.name. */
export const gapKey = (gap: Gap) => `${gap.component}.${gap.name ?? gap.index}`

/** gapLabel returns the label of a template variable, with its placeholder. */
export function gapLabel(template: Template, gap: Gap, t: TFunction): string {
  if (gap.type !== 'text') return t(`template.file.${gap.type}`)
  if (gap.component === 'button')
    return t('template.gap.button', {
      button: template.buttons[gap.index - 1]?.text ?? gap.index,
    })
  return t(`template.gap.${gap.component}`, {
    gap: `{{${gap.name ?? gap.index}}}`,
  })
}

/** filled inserts the values of one component into its text. Variables without a value keep their placeholder. */
export const filled = (
  text: string,
  component: Gap['component'],
  values: Record<string, string>,
): string =>
  text.replace(
    /\{\{\s*(\w+)\s*\}\}/g,
    (gap, name: string) => values[`${component}.${name}`]?.trim() || gap,
  )

/** templateOffer returns the template as the customer sees it. */
export const templateOffer = (
  template: Template,
  values: Record<string, string>,
): InteractiveBody => ({
  body: filled(template.body, 'body', values),
  ...(template.header
    ? { header: filled(template.header, 'header', values) }
    : {}),
  ...(template.footer ? { footer: template.footer } : {}),
  buttons: template.buttons.map((button, at) => ({
    id: String(at),
    title: button.text,
  })),
})

/** chosenTemplate returns a template with its values as a request body; files are given by id. */
export const chosenTemplate = (
  template: Template,
  values: Record<string, string>,
): ChosenTemplate => ({
  name: template.name,
  language: template.language,
  parameters: template.parameters.map((gap) => {
    const value = values[gapKey(gap)]?.trim() ?? ''
    return {
      component: gap.component,
      ...(gap.name ? { name: gap.name } : {}),
      ...(gap.type === 'text' ? { text: value } : { media_id: value }),
    }
  }),
})

/** stateOf returns why a template cannot be sent to a customer, or null if it can. */
export function stateOf(
  template: Template,
  optedOut: boolean,
  t: TFunction,
): string | null {
  if (template.status === 'approved')
    return optedOut && template.category === 'marketing'
      ? t('template.state.optedOut')
      : null
  return t(`template.state.${template.status}`, {
    defaultValue: t('template.state.other'),
  })
}
