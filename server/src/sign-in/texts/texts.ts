/** Every text that a member reads. One file a language, each with exactly these. */
export interface Texts {
  signIn: {
    title(tenant: string): string
    toContinue(client: string): string
    email: string
    send: string
    both: string
    linkOnly: string
    codeOnly: string
    invalid: string
    /** Between the form and the buttons of providers. */
    or: string
    with(provider: string): string
  }
  /** What is wrong with an account at a provider, or with the provider. */
  social: {
    denied(provider: string): string
    away(provider: string): string
    faulty(provider: string): string
    /** It does not take us any more; what helps is the tenant's to do. */
    refused(provider: string): string
    unverified(provider: string): string
    taken(provider: string): string
    lastWayIn: string
    returnTitle: string
    returnText(provider: string): string
    returnButton: string
  }
  mailSent: {
    title: string
    /** Followed by the address. */
    sentTo: string
    both: string
    linkOnly: string
    codeOnly: string
    code: string
    submit: string
    /** Followed by the button `again`. */
    nothing: string
    again: string
    otherAddress: string
    wrong: string
    malformed: string
    ended: string
    endedForNow: string
    noCode: string
  }
  continueAs: {
    title: string
    /** Followed by the address. */
    signedInAs: string
    go(name: string): string
    other: string
  }
  link: {
    confirmTitle(tenant: string): string
    /** Followed by the address. */
    confirm: string
    confirmButton: string
    elsewhereTitle: string
    elsewhere: string
    elsewhereButton: string
    codeTitle: string
    code: string
    warning: string
    deadTitle: string
    dead: string
  }
  problem: {
    title: string
    client: string
    clientAdvice: string
    developer: string
    expiredTitle: string
    expired: string
    restart: string
    startOver: string
    tooManyMailsTitle: string
    tooManyMails: string
    tooManyTitle: string
    tooMany: string
    foreign: string
    closed: string
    unavailableTitle: string
    unavailable: string
    notFoundTitle: string
    notFound: string
    backToMail: string
  }
  signOut: {
    title(tenant: string): string
    asked(client: string): string
    go: string
    stay: string
  }
  signedOut: { title: string; text: string; again: string }
  account: {
    title: string
    email: string
    name: string
    nameText: string
    saveName: string
    named: string
    nameTooLong(max: number): string
    since: string
    sessions: string
    sessionsText: string
    thisBrowser: string
    application(client: string): string
    /** `when` is relative, such as "3 hours ago". */
    lastSeen(when: string): string
    signedIn(day: string): string
    from(address: string): string
    end: string
    endLabel(session: string): string
    ended: string
    accounts: string
    accountsText: string
    link(provider: string): string
    linked: string
    unlink: string
    unlinkLabel(account: string): string
    unlinked: string
    onlyWayIn: string
    signOut: string
    unknownDevice: string
    device(browser: string, system: string): string
  }
  mail: {
    subject(tenant: string): string
    subjectWithCode(tenant: string, code: string): string
    /** On a line of its own; the next one goes on in lower case where the language does so. */
    greeting: string
    linkText(tenant: string): string
    button: string
    codeText: string
    codeOnlyText(tenant: string): string
    until: string
    notYou: string
  }
}
