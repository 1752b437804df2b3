import { findOnPath } from './find-on-path.ts'

const programs = ['chromium-headless-shell', 'chromium', 'google-chrome']

/** The browser of this machine. The one that draws no windows comes first: it starts in half the time. */
export const chromium = programs.map((name) => findOnPath(name)).find((path) => path !== undefined)

/** Why a test with a browser is skipped; undefined if there is one. */
export const withoutChromium = chromium === undefined ? `none of ${programs.join(', ')} is on the PATH` : undefined
