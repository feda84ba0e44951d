from massprops_cli.bom.configuration.settings import (
    ConfigurationChoice as ConfigurationChoice,
    keywords_with_settings as keywords_with_settings,
    read_settings as read_settings,
)
