/** CaseAction is an action on the open conversation that the palette offers. */
export type CaseAction = {
  key: string
  label: string
  hint?: string
  run: () => void
}

let offered: () => CaseAction[] = () => []

/** offerCaseActions makes the actions of the open conversation available to the palette, until the returned function is called. */
export function offerCaseActions(actions: () => CaseAction[]): () => void {
  offered = actions
  return () => {
    if (offered === actions) offered = () => []
  }
}

/** caseActions returns the actions of the open conversation, or none. */
export const caseActions = () => offered()
