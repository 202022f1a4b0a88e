import type { Template } from '../api/types'

/** canReopen reports whether a template has nothing to fill in except the protocol in its text. */
export const canReopen = ({
  status,
  parameters,
}: Pick<Template, 'status' | 'parameters'>) =>
  status === 'approved' &&
  (parameters.length === 0 ||
    (parameters.length === 1 && parameters[0]?.component === 'body'))

/** declineOf returns the text of the button with which the customer cancels: the last quick reply. */
export const declineOf = ({ buttons }: Pick<Template, 'buttons'>) =>
  buttons.findLast((button) => button.type === 'quick_reply')?.text ?? null

/** templateKey identifies a template of a number. */
export const templateKey = ({
  name,
  language,
}: {
  name: string
  language: string
}) => `${name} ${language}`
