/** The words of consents that runs wait for, in English. */
export const consentText = {
  grant: 'Grant access',
  elsewhere: 'The person of the run grants access where the agent asks for it. No approval replaces that.',
} as const
