/** isTouch reports whether the screen is used with fingers, where focusing a field opens the keyboard. */
export const isTouch = () => matchMedia('(pointer: coarse)').matches
