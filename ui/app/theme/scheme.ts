// Runs before the first paint, as a script of its own: the policy allows no inline script. It imports nothing, so that it stays one small
// file; `ui/parts/preference/theme.ts` writes what it reads.
try {
  const stored = localStorage.getItem('mesh-scheme')
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset['scheme'] = stored
} catch {
  // A browser may refuse storage; then the system decides.
}
