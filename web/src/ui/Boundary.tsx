import { Component, type ReactNode } from 'react'

/** Boundary shows its fallback, or nothing, where its content fails. The rest of the page stays. */
export class Boundary extends Component<
  { children: ReactNode; fallback?: ReactNode },
  { failed: boolean }
> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
