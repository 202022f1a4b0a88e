import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { makeQueryClient } from '../api/queries'
import { LiveRegion } from '../ui/announce'
import { styleNonce } from '../ui/page'
import { cssVariables, theme } from '../ui/theme'
import { useToastsWanted } from '../ui/toast'
import { Gate } from './Gate'
import { router } from './router'

const Toasts = lazy(() => import('../ui/Toasts'))

/** App is everything below the root element. */
export function App() {
  const [client] = useState(makeQueryClient)
  const toasts = useToastsWanted()
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => styleNonce} deduplicateInlineStyles>
      <QueryClientProvider client={client}>
        <Suspense fallback={null}>{toasts && <Toasts />}</Suspense>
        <LiveRegion />
        <Gate>
          <RouterProvider router={router} />
        </Gate>
      </QueryClientProvider>
    </MantineProvider>
  )
}
