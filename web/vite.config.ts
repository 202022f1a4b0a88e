import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// The file names have no hashes: the server puts the files below a path that names their content, and
// dist is committed, where stable names keep the history readable.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: 'app.js',
        // What every page needs is one file: fewer requests, and it compresses better.
        codeSplitting: { groups: [{ name: 'vendor', test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|@tanstack\/(router-core|react-router|history|store|react-store|query-core|react-query|virtual-core|react-virtual)|openapi-fetch|idb)\// }] },
        // A catalogue is called by its part and its language.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, part, language] = /locales\/(?:(\w+)\/)?([\w-]+)\.json$/.exec(facadeModuleId ?? '') ?? []
          return language ? `${part ?? 'texts'}-${language}.js` : '[name].js'
        },
        // The tables of emoji are all called data.json; their language is a part of their path.
        assetFileNames: ({ originalFileNames }) => {
          const language = /emoji-picker-element-data\/(\w+)\//.exec(originalFileNames[0] ?? '')?.[1]
          return language ? `emoji-${language}[extname]` : '[name][extname]'
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
    setupFiles: ['test/setup.ts'],
    css: false,
  },
})
