/** The groups of operations, in the order of the reference. */
export const tags = [
  {
    name: 'Landlord',
    description: 'The whole platform, for its operators. Served on the platform host only.',
  },
  { name: 'Health', description: 'Reports for monitors, and probes for orchestrators.' },
  {
    name: 'Queue',
    description:
      'What the audience did, for the systems of a tenant: read from the front, process, then remove as many as were ' +
      'read. The Event Queue and the Heartbeat Queue work alike.',
  },
  {
    name: 'Member',
    description:
      "Who is signed in, and where: for the pages and applications that hold a member's token, at the tenant's domain.",
  },
  { name: 'SDK', description: "What the browser SDK uses, at the tenant's domain." },
  {
    name: 'OAuth',
    description:
      'How a partner signs members in. Browsers are sent to `/oauth/authorize`; what follows is for the servers of ' +
      'partners, with any OAuth 2.0 library.',
  },
  { name: 'Members', description: 'The people who sign in to a tenant, for its staff.' },
  { name: 'OAuth clients', description: "The applications that may sign the tenant's members in." },
  {
    name: 'Social providers',
    description:
      'Google, Apple, Microsoft, GitHub and any other provider of OpenID Connect, by which members can sign in.',
  },
  { name: 'Description', description: 'The interface, for programs.' },
]
