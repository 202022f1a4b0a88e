/** meta returns the content of a meta tag that the server fills in, or '' on the development server, where the placeholder is still there. */
function meta(name: string): string {
  const content =
    document
      .querySelector(`meta[name="recado-${name}"]`)
      ?.getAttribute('content') ?? ''
  return /^__[A-Z]+__$/.test(content) ? '' : content // a nonce can start with underscores as well
}

/** basePath is the path prefix of the app and the API: '' or '/desk'. */
export const basePath = meta('base')

/** installed prefixes a storage key with the base path, since one origin can host several installations. */
export const installed = (name: string) => `recado${basePath}.${name}`

/** personal prefixes a storage, lock or channel name with the user's id, since several people can share a browser. */
export const personal = (name: string, person: string) =>
  installed(`${person}.${name}`)

/** pagePath returns the path of the current page below the base path. */
export const pagePath = () => location.pathname.slice(basePath.length) || '/'

/** appVersion identifies the build this page was loaded from. */
export const appVersion = meta('version')

/** maySession is false if the browser sent no session cookie with the page request. */
export const maySession = meta('session') !== 'no'

/** styleNonce allows style elements under the page's content security policy. */
export const styleNonce = meta('nonce')
