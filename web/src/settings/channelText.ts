import i18next, { type TFunction } from 'i18next'

/** The server's texts about a number, each with the name of its translation and of its parts. */
const texts: [RegExp, string, ...string[]][] = [
  [/^The team disconnected it\.$/, 'team'],
  [/^The secret key of this installation was lost\./, 'lostKey'],
  [/^Meta refuses the access token of this number\./, 'tokenRejected'],
  [/^The access token lacks a permission that this needs\./, 'permissionMissing'],
  [/^This WhatsApp number no longer exists at Meta\.$/, 'numberGone'],
  [/^Meta restricted this WhatsApp account for breaking its policies\.$/, 'policies'],
  [/^Meta locked this WhatsApp account\.$/, 'locked'],
  [/^Meta has not approved the display name of this number yet\.$/, 'nameNotApproved'],
  [/^Meta stopped sending because of a payment problem on this account\.$/, 'payment'],
  [/^The number is not registered with WhatsApp's Cloud API\.$/, 'notRegistered'],
  [/^Meta limits this number because customers reported or blocked it\.$/, 'reported'],
  [/^The number's two-step PIN is wrong\.$/, 'pinWrong'],
  [/^The two-step PIN was wrong too often;/, 'pinOften'],
  [/^The two-step PIN was tried too fast;/, 'pinFast'],
  [/^The number must be verified at Meta first\.$/, 'unverified'],
  [/^The number was deleted minutes ago;/, 'deletedLately'],
  [/^The number was registered too often;/, 'registeredOften'],
  [/^The business removed this app from its WhatsApp account\./, 'appRemoved'],
  [/^This app was removed from the WhatsApp account\./, 'appRemovedByMeta'],
  [/^Meta disconnected the number because the WhatsApp Business app/, 'phoneInactive'],
  [/^Meta disconnected the number because it was not used/, 'unused'],
  [/^The number was moved from the WhatsApp Business app/, 'movedToWhatsApp'],
  [/^The WhatsApp Business app on the phone changed to another number\./, 'numberChanged'],
  [/^The number was registered on the phone again\./, 'registeredAgain'],
  [/^Meta lifted the restrictions of this WhatsApp account\./, 'restrictionLifted'],
  [/^The number was taken off the Cloud API\./, 'offboarded'],
  [/^This WhatsApp account was deleted at Meta\.$/, 'accountDeleted'],
  [/^The number is linked to the Cloud API again\./, 'relinked'],
  [/^Meta reinstated this WhatsApp account\./, 'reinstated'],
  [/^Meta is going to disable this WhatsApp account( \(.*\))?\.$/, 'willDisable', 'date'],
  [/^Meta disabled this WhatsApp account( \(.*\))?\.$/, 'disabled', 'date'],
  [/^Meta restricted this WhatsApp account(: .*)?\.$/, 'restricted', 'kinds'],
  [/^Nothing has arrived from WhatsApp for (.+); the longest silence of the last two weeks was (.+?)\./, 'silent', 'silent', 'longest'],
  [/^WhatsApp reports that the status of the number is (.+):/, 'status', 'status'],
  [/^Meta called the callback address and did not get the answer it expects\./, 'callbackUnreachable'],
  [/^It reaches only public addresses with HTTPS:/, 'notPublic'],
  [/^WhatsApp cannot be reached at the moment\./, 'unreachable'],
  [/^This server is not configured for WhatsApp\.$/, 'notConfigured'],
  [/^Meta knows no such phone number id, or the access token may not see it\./, 'unknownNumber'],
  [/^this number cannot be connected\./, 'refused'],
  [/^this number is already connected$/, 'taken'],
  [/^WhatsApp does not report the phone number of this id;/, 'noPhone'],
  [/^is the id of (.+), and the channel has the number (.+)\. Create/, 'otherNumber', 'other', 'own'],
]

/** What comes before other words: the callbacks that do not arrive with their reason, and what WhatsApp itself says. */
const noCallbacks = /^WhatsApp does not send callbacks for this number to this server yet\. (.+)$/
const says = /^(.+?) WhatsApp says: (.+)$/

/** span writes "3 hours" in the person's language. */
function span(text: string): string {
  const [, count, unit] = /^(\d+) (day|hour|minute)s$/.exec(text) ?? []
  return count && unit ? new Intl.NumberFormat(i18next.language, { style: 'unit', unit, unitDisplay: 'long' }).format(Number(count)) : text
}

/** channelText says in the person's language what the server says about a number; undefined where it has no words for it. */
export function channelText(text: string, t: TFunction): string | undefined {
  const [, reason] = noCallbacks.exec(text) ?? []
  if (reason) return t('channelText.noCallbacks', { rest: channelText(reason, t) ?? reason })
  const [, before, words] = says.exec(text) ?? []
  const known = before && words ? channelText(before, t) : undefined
  if (known) return t('channelText.says', { text: known, words })
  for (const [pattern, key, ...names] of texts) {
    const found = pattern.exec(text)
    if (found) return t(`channelText.${key}`, Object.fromEntries(names.map((name, index) => [name, span(found[index + 1] ?? '')])))
  }
  return undefined
}
