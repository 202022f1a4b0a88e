let context: AudioContext | undefined

// Browsers allow sound only after a click or key press.
const unlock = () => {
  context ??= new AudioContext()
  void context.resume()
}
addEventListener('pointerdown', unlock, { once: true })

const notes = { chime: [880, 1320], drop: [660, 440] }

/** playSound synthesizes a short sound, so no file has to be loaded. */
export function playSound(name: 'none' | 'chime' | 'drop'): void {
  if (name === 'none' || !context) return
  for (const [index, frequency] of notes[name].entries()) {
    const start = context.currentTime + index * 0.11
    const oscillator = context.createOscillator()
    const gain = context.createGain()
    oscillator.frequency.value = frequency
    gain.gain.setValueAtTime(0.0001, start)
    gain.gain.exponentialRampToValueAtTime(0.12, start + 0.015)
    gain.gain.exponentialRampToValueAtTime(0.0001, start + 0.28)
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(start)
    oscillator.stop(start + 0.3)
  }
}
