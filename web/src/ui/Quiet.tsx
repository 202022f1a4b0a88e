import { Component, type ReactNode } from 'react'

/** Quiet shows nothing where its content fails: a corner of the page never takes the rest with it. */
export class Quiet extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? null : this.props.children
  }
}
