/** Several holds in one request. */
export const openings = { method: 'POST', path: '/budgets/openings' } as const
