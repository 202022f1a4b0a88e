/** Logo is Recado's logo: a note in a speech bubble. */
export function Logo({ size = 32 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden
      focusable="false"
    >
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M9 8.5h14a2.5 2.5 0 0 1 2.5 2.5v8a2.5 2.5 0 0 1-2.5 2.5h-7.6L10.6 25v-3.5H9A2.5 2.5 0 0 1 6.5 19v-8A2.5 2.5 0 0 1 9 8.5Z"
        fill="none"
        stroke="var(--accent-ink)"
        strokeWidth="2.2"
        strokeLinejoin="round"
      />
      <path
        d="M11 13h10M11 17h6"
        stroke="var(--accent-ink)"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  )
}
