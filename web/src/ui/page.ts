/** meta reads what the server wrote into the page; under the development server the marks are still there. */
function meta(name: string): string {
  const content =
    document
      .querySelector(`meta[name="recado-${name}"]`)
      ?.getAttribute('content') ?? ''
  return /^__[A-Z]+__$/.test(content) ? '' : content // a nonce may begin with underscores, too
}

/** basePath is the path below which the app and the API are, '' or '/desk'. */
export const basePath = meta('base')

/** installed names what this browser keeps for this installation: one origin may have several, each below its base path. */
export const installed = (name: string) => `recado${basePath}.${name}`

/** personal names what this browser keeps, locks or passes between tabs for one person: several may use it one after the other. */
export const personal = (name: string, person: string) =>
  installed(`${person}.${name}`)

/** pagePath is the path of the page below the base path. */
export const pagePath = () => location.pathname.slice(basePath.length) || '/'

/** appVersion names the content of the build that this page runs. */
export const appVersion = meta('version')

/** maySession is false where the browser sent no cookie of a session with the page: nobody is signed in. */
export const maySession = meta('session') !== 'no'

/** styleNonce allows style elements under the page's content security policy. */
export const styleNonce = meta('nonce')
