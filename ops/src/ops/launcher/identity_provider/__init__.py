"""The development identity provider: Auth0's paths and manners on one's own machine, without passwords."""
