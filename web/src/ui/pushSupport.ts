/** Obstacle is why this browser cannot receive push notifications. */
export type Obstacle = 'insecure' | 'install' | 'unsupported' | 'denied'

export type Browser = {
  secure: boolean
  push: boolean
  apple: boolean // an iPhone or iPad
  installed: boolean
  permission: NotificationPermission
}

/** thisBrowser describes the browser. */
export function thisBrowser(): Browser {
  const { userAgent, maxTouchPoints } = navigator
  return {
    secure: isSecureContext,
    push:
      'serviceWorker' in navigator &&
      'PushManager' in window &&
      'Notification' in window,
    // An iPad calls itself a Mac, but no Mac has a touch screen.
    apple:
      /iPhone|iPad|iPod/.test(userAgent) ||
      (/Macintosh/.test(userAgent) && maxTouchPoints > 1),
    installed:
      matchMedia('(display-mode: standalone)').matches ||
      (navigator as { standalone?: boolean }).standalone === true,
    permission: 'Notification' in window ? Notification.permission : 'default',
  }
}

/** obstacleOf returns what must be changed before a browser can receive push notifications, or null. */
export function obstacleOf(browser: Browser): Obstacle | null {
  if (!browser.secure) return 'insecure'
  if (!browser.push)
    return browser.apple && !browser.installed ? 'install' : 'unsupported'
  return browser.permission === 'denied' ? 'denied' : null
}
